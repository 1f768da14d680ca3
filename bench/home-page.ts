/**
 * `npm run bench -- --only home-page`: measures the call of a home page (which documents a user may open) and the list
 * of users with access to a document, at 64 connections, compared with bare `node:http`: in organizations with
 * documents in every folder, where a user has grants on two folders and a document, and in organizations where
 * everybody is a member.
 */
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { body, newDataSet, pick } from './checks.ts'
import { load } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { postgresStore } from './support/store.ts'
import { documentId, organizationId, userId, type WorldSize } from './support/world.ts'

const CONNECTIONS = 64
const BODIES = 5_000
const SIZE: WorldSize = { organizations: 200, chains: 10, depth: 5, documents: 500, members: 495, users: 10_000 }

const WITHOUT_MEMBERS = `(select organization_key from organizations where api_key_id = $1 and substr(organization_id, 14)::int % 2 = 1)`

/** Makes every second organization one without members, whose documents are in all folders. A user has grants on two folders. */
const STEPS = [
  `update resources set own_access_type = null, boundary_depth = 1, boundary_key = organization_key, boundary_access_type = null
    where kind = 'folder' and organization_key in ${WITHOUT_MEMBERS}`,
  `update resources d set folder_key = f.resource_key from resources f
    where d.kind = 'document' and d.organization_key in ${WITHOUT_MEMBERS} and f.organization_key = d.organization_key
      and f.kind = 'folder' and f.id = concat_ws('-', 'folder', substr(d.id, 10)::int % 10, 1 + substr(d.id, 10)::int / 10 % 5)`,
  `delete from grants where kind = 'organization' and organization_key in ${WITHOUT_MEMBERS}`,
  `insert into grants (organization_key, resource_key, principal, kind, standing_role)
   select g.organization_key, f.resource_key, g.principal, 'folder', 'viewer'
     from grants g join resources r using (organization_key, resource_key)
     join resources f on f.organization_key = g.organization_key and f.kind = 'folder'
      and f.id = concat_ws('-', 'folder', (substr(r.id, 8, 1)::int + 3) % 10, 1 + (substr(r.id, 10)::int + 1) % 5)
    where g.kind = 'folder' and g.organization_key in ${WITHOUT_MEMBERS} on conflict do nothing`,
]

const bodies = (data: (organization: number) => object, isOdd: boolean): string[] =>
  Array.from({ length: BODIES }, () => body(data(pick(SIZE.organizations / 2) * 2 + (isOdd ? 1 : 0))))

export async function benchHomePage(settings: Record<string, string>, seconds: number): Promise<void> {
  const withStore = postgresStore(settings.DATABASE_URL ?? '')
  const headers = await newDataSet({ settings, withStore }, SIZE)
  await withStore(async (query) => {
    for (const step of STEPS) await query(step, [headers['x-service-api-key']])
    await query('vacuum (analyze) resources, grants')
  })
  const server = await startProcess('server/main.ts', settings)
  const floor = await startProcess('bench/support/floor.ts', {})
  const resources = bodies((organization) => {
    const asked = { organizationId: organizationId(organization), types: ['document'] }
    return { ...asked, userId: userId(SIZE, organization, pick(SIZE.members)) }
  }, true)
  const users = bodies((organization) => {
    const id = documentId(pick(SIZE.documents))
    return { resource: { type: 'document', id, organizationId: organizationId(organization) } }
  }, false)
  say(
    `\n## The call of a home page: ${CONNECTIONS} connections, ${SIZE.organizations} organizations of ${SIZE.chains * SIZE.depth} folders and ${SIZE.documents} documents`,
  )
  sayHead('what', 'answers/s', 'p50 ms', 'p99 ms', 'of the floor', 'errors')
  const measure = (url: string, of: string[]) =>
    load({
      url,
      headers: { 'content-type': 'application/json', ...headers },
      bodies: of,
      connections: CONNECTIONS,
      seconds,
    })
  for (const [name, path, of] of [
    ['58 documents of a user', listPermittedResources.path, resources],
    ['500 users of a document', listPermittedUsers.path, users],
  ] as const) {
    await measure(server.url + path, of) // warm
    const baseline = await measure(`${floor.url}/`, of)
    const { rate, p50Ms, p99Ms, errors } = await measure(server.url + path, of)
    sayRow(
      'node:http, the same body',
      Math.round(baseline.rate),
      baseline.p50Ms.toFixed(2),
      baseline.p99Ms.toFixed(2),
      '',
      baseline.errors,
    )
    sayRow(name, Math.round(rate), p50Ms.toFixed(2), p99Ms.toFixed(2), (rate / baseline.rate).toFixed(3), errors)
  }
  await server.stop()
  await floor.stop()
}
