/**
 * What commands that have died leave behind, and servers end, so that nothing waits for somebody to start them again: a bucket whose old
 * database is closed and whose new one is not named, and a key whose changes are refused. A command that works has its locks.
 */
import type { Kernel } from '#kernel'
import type { Log } from '#platform/log.ts'
import { openUnattended } from './key-move/key-move.ts'
import { GET_KEYS_NOT_SWITCHED } from './key-move/statements.ts'
import { finishUnattended, type UnattendedDeps } from './move/finish.ts'
import { connectTo } from './move/servers.ts'

/** Every call to a bucket that is closed asks for it. */
const PAUSE_MS = 500

export interface Attendant {
  /** Begins to end what is left of moves of the `buckets`, which cannot be used, and of keys. Returns at once. */
  attend(buckets: readonly string[]): void
  stop(): Promise<void>
}

/** `finished`: a bucket can be opened. */
export function createAttendant({ config, db: home, log, sealer }: Kernel, finished: () => void): Attendant {
  const homeUrl = config.DATABASE_URL
  const depsOf = (about: object): UnattendedDeps => ({
    ...{ home, sealer, homeUrl: homeUrl ?? '' },
    say: (line) => log.info(about, line),
  })

  const ofBuckets = oneAtATime(log, async (buckets) => {
    for (const bucket of buckets)
      if (await finishUnattended(depsOf({ bucket }), bucket)) {
        log.warn({ bucket }, 'a move whose command had ended was finished')
        finished()
      }
  })

  const ofKeys = oneAtATime(log, async () => {
    for (const { apiKeyId } of await home.run(GET_KEYS_NOT_SWITCHED)) {
      const atHome = await connectTo(homeUrl ?? '')
      const requestTimeoutMs = config.REQUEST_TIMEOUT_MS
      const done = await openUnattended({ ...depsOf({ apiKeyId }), atHome, requestTimeoutMs }, apiKeyId).finally(() =>
        atHome.end(),
      )
      if (done !== undefined)
        log.warn({ apiKeyId, done }, 'a key whose move had no command any more takes changes again')
    }
  })

  return {
    attend(buckets) {
      if (homeUrl === undefined) return
      if (buckets.length > 0) ofBuckets.begin(buckets)
      ofKeys.begin([])
    },
    async stop() {
      await Promise.all([ofBuckets.ended(), ofKeys.ended()])
    },
  }
}

function oneAtATime(log: Log, work: (buckets: readonly string[]) => Promise<void>) {
  let working: Promise<void> | undefined
  let notBefore = 0
  return {
    begin(buckets: readonly string[]): void {
      if (performance.now() < notBefore) return
      working ??= work(buckets)
        .catch((err: unknown) => log.warn({ err }, 'what is left of a move could not be ended; it will be retried'))
        .finally(() => {
          working = undefined
          notBefore = performance.now() + PAUSE_MS
        })
    },
    ended: async () => working,
  }
}
