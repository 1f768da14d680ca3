/**
 * Measures how the time of a check depends on the depth of its document: two data sets in one store that differ only in the
 * depth of their folders, for users with few grants on folders and for one with many.
 */
import { checkPermissions } from '#contract/access/decisions.ts'
import { body, newDataSet, pick, type Question } from './checks.ts'
import { type Load, takeTurns } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { postgresStore } from './support/store.ts'
import { documentId, organizationId, userId, type WorldSize } from './support/world.ts'

const DEPTHS = [1, 20] as const
const TURNS = 15
const BATCH = 256
const MANY = 'many'

const sizeOf = (depth: number): WorldSize => ({
  organizations: 300,
  chains: 20,
  depth,
  documents: 400,
  members: 100,
  users: 3_000,
})

/** Adds a grant on each organization and on the top folder of each chain: 21 per organization. */
const GRANT_MANY = `
  insert into grants (organization_key, resource_key, principal, kind, standing_role)
  select organization_key, resource_key, $2, kind, 'viewer' from organizations join resources r using (organization_key)
   where api_key_id = $1 and (kind = 'organization' or kind = 'folder' and r.id like 'folder-%-1')`

/** Returns a check of a document in the first chain, where no folder has its own access type: the decision is the same at any depth. */
function question(size: WorldSize, who: 'few' | 'many'): Question {
  const organization = pick(size.organizations)
  const document = documentId(pick(size.documents / size.chains) * size.chains)
  return {
    userId: who === 'many' ? MANY : userId(size, organization, pick(size.members)),
    resource: { type: 'document', id: document, organizationId: organizationId(organization) },
  }
}

export async function benchDepth(settings: Record<string, string>): Promise<void> {
  const withStore = postgresStore(settings.DATABASE_URL ?? '')
  const keys: Record<string, string>[] = []
  for (const depth of DEPTHS) {
    const headers = await newDataSet({ settings, withStore }, sizeOf(depth))
    await withStore(async (query) => {
      await query(GRANT_MANY, [headers['x-service-api-key'], MANY])
      await query('vacuum (analyze) grants')
    })
    keys.push(headers)
  }
  const server = await startProcess('server/main.ts', settings)
  const { organizations, chains, documents, members } = sizeOf(1)
  say(`\n## Depth ${DEPTHS.join(' and ')}: one connection, ${TURNS} turns of a second each`)
  say(
    `\nTwo data sets of ${organizations} organizations, ${chains * organizations} chains of folders, ${documents * organizations} documents, ${organizations * (members * 3 + chains + 1)} grants.`,
  )
  sayHead('user', 'checks a call', ...DEPTHS.map((depth) => `depth ${depth}, p50 ms`), 'ratio')
  for (const who of ['few', 'many'] as const)
    for (const checks of [1, BATCH]) {
      const loads = DEPTHS.map((depth, nth): Omit<Load, 'seconds'> => {
        const batch = () => Array.from({ length: checks }, () => question(sizeOf(depth), who))
        return {
          url: server.url + checkPermissions.path,
          headers: { 'content-type': 'application/json', ...keys[nth] },
          bodies: Array.from({ length: checks === 1 ? 5_000 : 50 }, () => body({ checks: batch() })),
          connections: 1,
        }
      })
      const [shallow = 0, deep = 0] = (await takeTurns(loads, TURNS)).map(({ p50Ms }) => p50Ms)
      const grants = who === 'few' ? 'grants on the organization and one folder' : `grants on ${chains} folders`
      sayRow(grants, checks, shallow.toFixed(3), deep.toFixed(3), (deep / shallow).toFixed(3))
    }
  await server.stop()
}
