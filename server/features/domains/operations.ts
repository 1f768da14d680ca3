/** Adds, deletes and reads the allowed domains of an API key (rules/keys.md#allowed-domains). */
import type { addDomains, deleteDomains, getDomains } from '#contract/domains.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { normalizeDomains } from './hosts.ts'
import { GET_DOMAINS, SET_DOMAINS } from './statements.ts'

export type Domains = ReturnType<typeof createDomains>

export function createDomains(db: Db) {
  async function stored(session: Session, { apiKeyId }: Caller): Promise<string[]> {
    const [row] = await session.run(GET_DOMAINS, [apiKeyId])
    if (row === undefined) throw credentialsInvalid()
    return row.domains
  }

  /** Replaces the list with the result of `next`, in one transaction that locks the key. Returns the previous list. */
  async function change(caller: Caller, next: (domains: string[]) => string[]): Promise<string[]> {
    const { apiKeyId, workspaceId, actor } = caller
    const work = async (session: Session) => {
      const before = await stored(session, caller)
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
    return changeApiKey(db, caller, apiKeyId, work, credentialsInvalid)
  }

  return {
    async add(caller: Caller, { domains }: DataOf<typeof addDomains>): Promise<ResultOf<typeof addDomains>> {
      const given = normalizeDomains('domains', domains)
      const before = await change(caller, (allowed) => {
        const all = [...new Set([...allowed, ...given])]
        if (all.length > allowed.length && all.length > LIMITS.domainsMax)
          throw new StatusError(
            'RESOURCE_EXHAUSTED',
            'too_many_domains',
            `An API key can have ${LIMITS.domainsMax} allowed domains; this one has ${allowed.length}, and would have ${all.length}.`,
          )
        return all
      })
      const known = new Set(before)
      return {
        domainsAdded: given.filter((domain) => !known.has(domain)),
        skippedDomains: given.filter((domain) => known.has(domain)),
      }
    },

    async delete(caller: Caller, { domains }: DataOf<typeof deleteDomains>): Promise<ResultOf<typeof deleteDomains>> {
      const given = normalizeDomains('domains', domains)
      const before = new Set(await change(caller, (allowed) => allowed.filter((domain) => !given.includes(domain))))
      return {
        domainsRemoved: given.filter((domain) => before.has(domain)),
        skippedDomains: given.filter((domain) => !before.has(domain)),
      }
    },

    get: async (caller: Caller): Promise<ResultOf<typeof getDomains>> => ({ allowedDomains: await stored(db, caller) }),
  }
}
