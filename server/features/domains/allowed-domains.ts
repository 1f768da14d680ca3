/** Reads and replaces the allowed domains of an API key (rules/keys.md#allowed-domains). */
import { LIMITS } from '#contract/core/limits.ts'
import type { Session } from '#platform/db/db.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { GET_DOMAINS, SET_DOMAINS } from './statements.ts'

export async function readDomains(session: Session, { apiKeyId }: Caller): Promise<string[]> {
  const [row] = await session.run(GET_DOMAINS, [apiKeyId])
  if (row === undefined) throw credentialsInvalid()
  return row.domains
}

/**
 * Replaces the list with the result of `next` and writes the event, in a transaction that has locked the key. Returns
 * the previous list.
 */
export async function changeDomains(
  session: Session,
  caller: Caller,
  next: (domains: string[]) => string[],
): Promise<string[]> {
  const { apiKeyId, workspaceId, actor } = caller
  const before = await readDomains(session, caller)
  const after = next(before)
  if (after.length === before.length) return before
  await session.run(SET_DOMAINS, [apiKeyId, after])
  await recordStreamEvents(session, [
    {
      type: 'api_key.updated',
      workspaceId,
      apiKeyId,
      actor,
      before: { allowedDomains: before },
      after: { allowedDomains: after },
    },
  ])
  return before
}

/** Returns the list with more domains. Throws RESOURCE_EXHAUSTED if it would exceed the limit. */
export function withDomains(allowed: readonly string[], more: readonly string[]): string[] {
  const all = [...new Set([...allowed, ...more])]
  if (all.length > allowed.length && all.length > LIMITS.domainsMax)
    throw new StatusError(
      'RESOURCE_EXHAUSTED',
      'too_many_domains',
      `An API key can have ${LIMITS.domainsMax} allowed domains; this one has ${allowed.length}, and would have ${all.length}.`,
    )
  return all
}
