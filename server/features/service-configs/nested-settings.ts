/** Settings whose fields nest: one JSON object of an API key, merged at every depth (rules/keys.md#notifications-and-activities). */
import { isDeepStrictEqual } from 'node:util'
import { COMMENT_TRIGGERS, type CommentTriggers } from '#contract/comments/triggers.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller, KeyOfActor } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import type { NestedRow } from './statements.ts'

interface NestedSettings<Given extends object> {
  get: Statement<NestedRow>
  set: Statement<never>
  /** Returns the fields that an update adds to the given ones, depending on the stored settings. */
  seed(given: Given, stored: Given | null, nowMs: number): object
}

/** Returns functions that read, update and copy settings. They return the stored settings, or null if there are none. */
export function createNestedSettings<Given extends object>(db: Db, { get, set, seed }: NestedSettings<Given>) {
  async function read(session: Session, apiKeyId: string): Promise<{ config: Given | null; nowMs: number }> {
    const [row] = await session.run(get, [apiKeyId])
    if (row === undefined) throw credentialsInvalid()
    return row as { config: Given | null; nowMs: number }
  }

  /** Makes `after` the settings of a key whose row is locked. */
  async function change(session: Session, key: KeyOfActor, before: Given | null, after: Given | null): Promise<void> {
    if (isDeepStrictEqual(before, after)) return
    const { apiKeyId, workspaceId, actor } = key
    await session.run(set, [apiKeyId, after === null ? null : JSON.stringify(after)])
    await recordStreamEvents(session, [
      { type: 'api_key.updated', workspaceId, apiKeyId, actor, before: before ?? {}, after: after ?? {} },
    ])
  }

  return {
    get: async ({ apiKeyId }: Caller): Promise<Given | null> => (await read(db, apiKeyId)).config,

    async copy(from: Session, sourceId: string, session: Session, target: KeyOfActor): Promise<void> {
      const [source, before] = [await read(from, sourceId), await read(session, target.apiKeyId)]
      await change(session, target, before.config, source.config)
    },

    update(caller: Caller, given: Given): Promise<Given> {
      const work = async (session: Session) => {
        const { config, nowMs } = await read(session, caller.apiKeyId)
        const after = mergedDeeply(mergedDeeply(config ?? {}, seed(given, config, nowMs)), given) as Given
        await change(session, caller, config, after)
        return after
      }
      return changeApiKey(db, caller, caller.apiKeyId, work, credentialsInvalid)
    },
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Replaces fields by the given ones at every depth. */
export function mergedDeeply(stored: object, given: object): object {
  const merged: Record<string, unknown> = { ...stored }
  for (const [name, value] of Object.entries(given)) {
    const there = merged[name]
    if (name === 'comment') merged[name] = mergedTriggers((there ?? {}) as CommentTriggers, value)
    else merged[name] = isObject(there) && isObject(value) ? mergedDeeply(there, value) : value
  }
  return merged
}

/** Each name of a trigger with the other names of the same switch. */
const OTHER_NAMES = new Map(
  Object.entries(COMMENT_TRIGGERS).flatMap(([word, types]): [string, readonly string[]][] => [
    [word, types],
    ...types.map((type): [string, string[]] => [type, types.length === 1 ? [word] : []]),
  ]),
)

/** A given name removes the other names of its switch; one of several event types of a word overrides only itself. */
function mergedTriggers(stored: CommentTriggers, given: CommentTriggers): CommentTriggers {
  const replaced = new Set(Object.keys(given).flatMap((name) => OTHER_NAMES.get(name) ?? []))
  return { ...Object.fromEntries(Object.entries(stored).filter(([name]) => !replaced.has(name))), ...given }
}
