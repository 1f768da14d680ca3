/** Records the grants that a load sent and those that were acknowledged, and checks that exactly these are stored. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GrantedResource } from '#contract/access/permissions.ts'
import type { Db } from '#platform/db/db.ts'

const ORGANIZATIONS = 5
const ROLES = ['viewer', 'editor'] as const

export interface Sent {
  userId: string
  resources: GrantedResource[]
  acknowledged: boolean
}

export const below = (limit: number): number => Math.floor(Math.random() * limit)
export const grantId = ({ type, id, organizationId = id }: GrantedResource, userId: string): string =>
  `${userId} on ${type} ${organizationId}/${id}`

/** One resource in two of three requests, otherwise up to 30 in several organizations; some are not declared yet. */
export function someResources(serial: number): GrantedResource[] {
  const count = serial % 3 === 0 ? 2 + below(29) : 1
  const resources = new Map<string, GrantedResource>()
  for (let index = 0; index < count; index++) {
    const organizationId = `organization ${below(ORGANIZATIONS)}`
    const accessRole = ROLES[below(2)]
    const type = (['document', 'document', 'folder', 'organization'] as const)[below(4)] ?? 'document'
    const id = type === 'organization' ? organizationId : `${type} ${below(2) === 0 ? below(50) : `of ${serial}`}`
    const resource = { type, id, organizationId, ...(accessRole === undefined ? {} : { accessRole }) }
    resources.set(grantId(resource, ''), resource)
  }
  return [...resources.values()]
}

export interface Stored {
  grants: Map<string, string>
  /** How many `permission.added` events each grant has. */
  events: Map<string, number>
}

export async function readStored(db: Db): Promise<Stored> {
  const grants = (await db.query(`
    select g.principal as user_id, g.kind as type, r.id, o.organization_id, g.standing_role as role
      from grants g
      join resources r using (organization_key, resource_key)
      join organizations o using (organization_key)`)) as { rows: Record<string, string>[] }
  const events = (await db.query(`
    select user_id, resource_kind as type, resource_id as id, organization_id, count(*)::int as times
      from events where type = 'permission.added' group by 1, 2, 3, 4`)) as { rows: Record<string, string>[] }
  const idOf = ({ user_id, type, id, organization_id }: Record<string, string>) =>
    `${user_id} on ${type} ${organization_id}/${id}`
  return {
    grants: new Map(grants.rows.map((row) => [idOf(row), row.role ?? ''])),
    events: new Map(events.rows.map((row) => [idOf(row), Number(row.times)])),
  }
}

export function assertLedger(ledger: readonly Sent[], { grants, events }: Stored): void {
  let expected = 0
  for (const { userId, resources, acknowledged } of ledger) {
    const found = resources.filter((resource) => grants.has(grantId(resource, userId)))
    if (acknowledged) assert.equal(found.length, resources.length, `${userId}: an acknowledged grant is lost`)
    else assert.ok(found.length === 0 || found.length === resources.length, `${userId}: a request is there by halves`)
    for (const resource of found) {
      const id = grantId(resource, userId)
      assert.equal(grants.get(id), resource.accessRole, `${id}: another role than the one sent`)
      assert.equal(events.get(id), 1, `${id}: not exactly one event`)
    }
    expected += found.length
  }
  assert.equal(grants.size, expected, 'there are grants that nobody sent')
  assert.equal(events.size, expected, 'there are events without their grant')
}

export async function assertEventsWithoutGaps(db: Db): Promise<void> {
  const { rows } = await db.query(`
    select o.organization_id, o.event_count, count(e.sequence)::int as events, min(e.sequence) as first, max(e.sequence) as last
      from organizations o left join events e on e.stream = o.organization_key
     group by o.organization_key
    having not (count(e.sequence) = o.event_count and max(e.sequence) = o.event_count and min(e.sequence) = 1)`)
  assert.deepEqual(rows, [])
}

/** Waits for statements of the killed server that may still be running on PostgreSQL. */
export async function othersGone(db: Db): Promise<void> {
  if (db.engine === 'embedded') return
  for (;;) {
    const { rows } = await db.query(`
      select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`)
    if (rows.length === 0) return
    await sleep(20)
  }
}
