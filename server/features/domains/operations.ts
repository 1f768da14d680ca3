/** Adds, deletes and reads the allowed domains of an API key (rules/keys.md#allowed-domains). */

import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { addDomains, deleteDomains, getDomains } from '#contract/keys/domains.ts'
import type { Db } from '#platform/db/db.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { changeDomains, readDomains, withDomains } from './allowed-domains.ts'
import { allowableDomains, normalizeDomains } from './hosts.ts'

export function createDomains(db: Db) {
  const change = (caller: Caller, next: (domains: string[]) => string[]): Promise<string[]> =>
    changeApiKey(db, caller, caller.apiKeyId, (session) => changeDomains(session, caller, next), credentialsInvalid)

  return {
    async add(caller: Caller, { domains }: DataOf<typeof addDomains>): Promise<ResultOf<typeof addDomains>> {
      const given = allowableDomains('domains', domains)
      const known = new Set(await change(caller, (allowed) => withDomains(allowed, given)))
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

    get: async (caller: Caller): Promise<ResultOf<typeof getDomains>> => ({
      allowedDomains: await readDomains(db, caller),
    }),
  }
}
