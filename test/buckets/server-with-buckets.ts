/** A server of this process whose workspaces have API keys in the home database and in buckets. */
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { listeningUrl } from '#http/server.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createLog } from '#platform/log.ts'
import { addBucket, type TestBucket, withoutClose } from '#testing/buckets.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createInProcessClient } from '#testing/client.ts'
import { createClock, createDatabase, MASTER_KEY, type TestClock } from '#testing/server.ts'
import { type App, buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'

/** The location of a key: the name of a bucket, or the home database. */
type Where = 'home' | string

export interface WithBuckets {
  url: string
  app: App
  client: Client
  clock: TestClock
  stop(): Promise<void>
  home: Db
  homeUrl: string
  buckets: readonly TestBucket[]
  /** Creates a workspace; its first key is in the home database. */
  newOwner(): Promise<Client>
  newKey(owner: Client, where: Where, settings?: object): Promise<Client>
}

/** Starts the server. Without names, everything is in one database. */
export async function startWithBuckets(
  names: readonly string[],
  settings: Record<string, string> = {},
): Promise<WithBuckets> {
  const clock = createClock()
  const { url: homeUrl, viaSocket, remove } = await createDatabase()
  const home = await openPostgres(viaSocket, clock, { connections: 10, statementTimeoutMs: 60_000 })
  const buckets = await Promise.all(names.map((name) => addBucket(home, clock, name)))
  const app = await buildApp(
    {
      config: readConfig({ PORT: '0', SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', ...settings }),
      masterKey: MASTER_KEY,
      db: home,
      log: createLog(process.env.TEST_LOG_LEVEL ?? 'error'),
    },
    async ({ name }) => withoutClose(buckets.find((bucket) => bucket.name === name)?.db as Db),
  )
  await app.http.listen({ host: '127.0.0.1', port: 0 })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= app.stop())
  cleanUp(async () => {
    await stop()
    await Promise.all([home, ...buckets.map(({ db }) => db)].map((db) => db.close()))
    await Promise.all([remove, ...buckets.map((bucket) => bucket.remove)].map((work) => work()))
  })
  const client = createInProcessClient(app.http)
  /** New keys are created in this bucket. */
  const pick = (where: Where) => home.query('update buckets set takes_keys = name = $1', [where])
  let owners = 0
  return {
    ...{ url: listeningUrl(app.http, '127.0.0.1'), app, client, clock, home, homeUrl, buckets, stop },
    async newOwner() {
      await pick('home')
      const ownerEmail = `owner.${++owners}@example.com`
      const { id, authToken } = await client.call(createWorkspace, { ownerEmail })
      return client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
    },
    async newKey(owner, where, settings = {}) {
      await pick(where)
      const data = { ownerEmail: 'ada@example.com', type: 'testing' as const, createAuthToken: true, ...settings }
      const { apiKey, authToken = '' } = await owner.call(createApiKey, data)
      return client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    },
  }
}
