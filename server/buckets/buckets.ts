/**
 * The buckets of an installation (ADR 0066). Each is a PostgreSQL database with whole data sets of API keys, served by an app of
 * its own in this process: with its connections, coalescers, followers and sweeps. So a bucket whose server is down makes only its
 * own keys unavailable.
 */
import type { FastifyInstance } from 'fastify'
import type { Serving } from '#http/route.ts'
import type { Buckets, Kernel } from '#kernel'
import { poll } from '#platform/jobs/repeat.ts'
import { Directory, urlContext } from './directory.ts'
import { type Changes, isClosed } from './open.ts'
import { isSamePlace, type Place, placeOf } from './sources.ts'
import { ADD_PLACE, type BucketRow, COUNT_PLACED, FORGET_PLACE, GET_HOLDINGS } from './statements.ts'
import { createAttendant } from './unattended.ts'
import { bucketUnavailable, namingBucket, readKeysOf } from './workspace-keys.ts'

/** Another process may have created a bucket: its sweeps and followers begin here, too, within this time. */
const LOOK_EVERY_MS = 5_000
const LOOK_SOON_MS = 50

/** The parts of the app of a bucket that this process needs. */
interface BucketApp {
  http: FastifyInstance
  kernel: Kernel
  servingOf(operation: string): Serving | undefined
  announceStop(): void
  /** Ends the streams, which would hold connections of the server open. */
  closeHttp(): Promise<void>
  stop(): Promise<void>
}

export type OpenBucket = (bucket: { name: string; url: string }, changes: Changes) => Promise<BucketApp>

export interface BucketApps extends Buckets {
  readonly directory: Directory
  /** Returns the app of a bucket. Throws UNAVAILABLE while its database cannot be used. */
  app(name: string): Promise<BucketApp>
  announceStop(): void
  closeHttp(): Promise<void>
  stop(): Promise<void>
}

/** A bucket that this process serves, or tries to. */
interface Opened extends Place {
  app: Promise<BucketApp>
  isOpening: boolean
  /** Why the last attempt to open it failed; calls fail at once until another one succeeds. */
  failure: unknown
}

export function createBuckets(home: Kernel, open: OpenBucket): BucketApps {
  const { db, log, sealer } = home
  const directory = new Directory(db, sealer)
  const opened = new Map<string, Opened>()
  /** Where calls have found that the database is closed. */
  const closed = new Set<string>()
  let isStopping = false
  let stopping: Promise<void> | undefined

  const attendant = createAttendant(home, lookSoon)

  let soon: NodeJS.Timeout | undefined
  /** Every call fails while a bucket is closed and not yet switched: they share a look. */
  function lookSoon(name?: string): void {
    if (name !== undefined) closed.add(name)
    if (soon !== undefined) return
    soon = setTimeout(() => {
      soon = undefined
      looking.wake()
    }, LOOK_SOON_MS).unref()
  }

  function begin(name: string, { url, at, failure }: Place & { failure?: unknown }): Opened {
    const one: Opened = {
      ...{ url, at, isOpening: true, failure },
      app: open({ name, url }, { closed: () => lookSoon(name), restarted: () => replace(name, one) }),
    }
    const ended = (failure: unknown) => Object.assign(one, { isOpening: false, failure })
    one.app.then(
      () => ended(undefined),
      (error: unknown) => {
        ended(error)
        log.error({ err: error, bucket: name }, 'a bucket cannot be opened; it will be retried')
      },
    )
    opened.set(name, one)
    return one
  }

  /** Several calls, and a look, may ask for a bucket at once: it gets one app. */
  async function beginOnce(name: string): Promise<Opened> {
    const place = await placeOf(await directory.urlOf(name))
    return opened.get(name) ?? begin(name, place)
  }

  async function app(name: string): Promise<BucketApp> {
    const one = opened.get(name) ?? (await beginOnce(name))
    if (one.failure !== undefined) {
      if (isClosed(one.failure)) lookSoon(name)
      throw bucketUnavailable(name, one.failure)
    }
    return one.app.catch((error: unknown) => {
      throw bucketUnavailable(name, error)
    })
  }

  async function close(one: Opened): Promise<void> {
    const app = await one.app.catch(() => undefined)
    await app?.stop()
    await app?.kernel.db.close()
  }

  /** Opens a bucket again; the app that served it until now ends in the background. */
  function replace(name: string, one: Opened, place: Place = one): void {
    if (isStopping || opened.get(name) !== one) return
    begin(name, { url: place.url, at: place.at, failure: one.failure })
    void close(one).catch((err: unknown) => log.warn({ err, bucket: name }, 'the former app of a bucket did not stop'))
  }

  /** Opens new buckets, those that could not be opened, and those that were moved. */
  async function look(): Promise<void> {
    const unusable: string[] = []
    const found = await Promise.all((await directory.refresh()).map(lookAt))
    for (const { name, known, place } of found) {
      if (isStopping) return
      if (known !== opened.get(name)) continue // a call has begun to open it meanwhile
      if (known === undefined) begin(name, place)
      else if (!isSamePlace(known, place)) replace(name, known, place)
      else if (known.failure !== undefined || closed.has(name)) {
        unusable.push(name)
        if (!known.isOpening && known.failure !== undefined) replace(name, known, place)
      }
    }
    closed.clear()
    if (found.length > 0) attendant.attend(unusable)
  }

  async function lookAt({ name, sealedUrl }: BucketRow) {
    const known = opened.get(name)
    return { name, known, place: await placeOf(sealer.open(sealedUrl, urlContext(name))) }
  }

  const looking = poll(look, {
    everyMs: LOOK_EVERY_MS,
    log,
    failure: 'the buckets could not be listed; it will be retried',
  })

  const kernelIn = async (bucket: string): Promise<Kernel> => (await app(bucket)).kernel

  return {
    directory,
    app,
    async kernelOf(apiKeyId) {
      const bucket = await directory.currentBucketOf(apiKeyId)
      return bucket === undefined ? home : kernelIn(bucket)
    },
    async isIn(apiKeyId, bucket) {
      return (await directory.currentBucketOf(apiKeyId)) === bucket
    },
    async kernelsOf(workspaceId, apiKeyId) {
      const rows = await db.run(GET_HOLDINGS, [workspaceId])
      const holding = apiKeyId === undefined ? rows : rows.filter(({ all }) => all.includes(apiKeyId))
      return [home, ...(await Promise.all(holding.map(({ bucket }) => kernelIn(bucket))))]
    },
    inEach: (kernels, read) => Promise.all(kernels.map((kernel) => namingBucket(kernel.bucket, () => read(kernel)))),
    async readKeys(workspaceId, read, { session = db, ...options } = {}) {
      const holdings = await session.run(GET_HOLDINGS, [workspaceId])
      return readKeysOf(holdings, { home, kernelIn }, read, options)
    },
    async kernelForNewKey(session, region) {
      let failure: unknown
      for (const bucket of await directory.bucketsForNewKey(session, region))
        try {
          const kernel = await kernelIn(bucket)
          await kernel.db.query('select')
          return kernel
        } catch (error) {
          failure = error // a new key need not wait for a bucket that is down
        }
      if (failure !== undefined) throw failure
      return home
    },
    async place(session, { apiKeyId, workspaceId, bucket, type }) {
      await session.run(ADD_PLACE, [apiKeyId, workspaceId, bucket, type])
    },
    async forget({ apiKeyId, workspaceId, bucket }) {
      await db.run(FORGET_PLACE, [apiKeyId, workspaceId, bucket])
      directory.forget(apiKeyId)
    },
    async metricsOf(name) {
      const isKnown = (await directory.refresh()).some((bucket) => bucket.name === name)
      return isKnown ? (await kernelIn(name)).metrics : undefined
    },
    async countProduction(session, workspaceId) {
      return (await session.run(COUNT_PLACED, [workspaceId]))[0]?.count ?? 0
    },
    announceStop() {
      for (const { app } of opened.values())
        app.then(
          (app) => app.announceStop(),
          () => {},
        )
    },
    async closeHttp() {
      await Promise.all([...opened.values()].map(({ app }) => app.then((app) => app.closeHttp()).catch(() => {})))
    },
    stop() {
      isStopping = true
      stopping ??= looking.stop().then(async () => {
        await attendant.stop()
        await Promise.all([...opened.values()].map(close))
      })
      return stopping
    },
  }
}
