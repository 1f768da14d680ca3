/** Random starts for shared statements, and the stored state as a state of the model. */
import fc from 'fast-check'
import { ACCESS_ROLES, type AccessRole, type ResourceType } from '#contract/access/permissions.ts'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import { runMigration } from '#features/migrations/job.ts'
import { ADD_MIGRATION } from '#features/migrations/statements.ts'
import { sweepExpired } from '#features/permissions/expiry/expiry.ts'
import { createPermissions } from '#features/permissions/grants/operations.ts'
import { createDocuments } from '#features/resources/documents/operations.ts'
import { createFolders } from '#features/resources/folders/operations.ts'
import { createOrganizations } from '#features/resources/organizations/operations.ts'
import type { Db } from '#platform/db/db.ts'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { MASTER_KEY } from '#testing/server.ts'
import type { ModelEvent, State } from './serial-model.ts'

/** Few, so that requests overlap. */
export const FOLDERS = ['f0', 'f1'] as const
export const DOCUMENTS = ['d0', 'd1', 'd2'] as const
export const USERS = ['u0', 'u1'] as const

type Presence = 'absent' | 'declared' | 'added' | 'migrated'

/** When the temporary grants of a start expire. */
export const EXPIRY = 2_000_000_000

/** The state before the requests: empty, or an organization with some resources and perhaps temporary grants. */
export type Start = null | {
  folders: Presence[]
  documents: Presence[]
  temporary: null | { accessRole: AccessRole; swept: boolean }
}

const presence = (...of: Presence[]) => fc.constantFrom(...of)

export const start: fc.Arbitrary<Start> = fc.option(
  fc.record({
    folders: fc.tuple(...FOLDERS.map(() => presence('absent', 'declared', 'added'))),
    documents: fc.tuple(...DOCUMENTS.map(() => presence('absent', 'declared', 'added', 'migrated'))),
    temporary: fc.option(fc.record({ accessRole: fc.constantFrom(...ACCESS_ROLES), swept: fc.boolean() })),
  }),
  { freq: 3 },
)

/** Creates an API key and returns a caller of it. */
export async function createCaller(db: Db): Promise<Caller> {
  const name = `serial-${Math.random()}`
  await db.query(
    `insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar)
     values ($1, '', '', '', '', '')`,
    [name],
  )
  await db.query(
    `insert into api_keys (api_key_id, workspace_id, type, name, owner_email, has_commenter) values ($1, $1, 'testing', '', '', true)`,
    [name],
  )
  return {
    apiKeyId: name as ApiKeyId,
    workspaceId: name as WorkspaceId,
    defaultAccessType: 'public',
    defaultAccessRole: 'editor',
    hasCommenter: true,
    hasDisabledUsers: false,
    isAdmin: true,
    requireKnownResources: false,
    expiringSoonSeconds: 0,
    actor: { token: 'setup', address: '127.0.0.1' },
  }
}

export async function makeStart(db: Db, caller: Caller, organizationId: string, spec: Start): Promise<void> {
  if (spec === null) return
  const pageTokens = createPageTokens(MASTER_KEY)
  const permissions = createPermissions(db)
  const documents = createDocuments({ db, pageTokens })
  await createOrganizations({ db, pageTokens }).add(caller, { organizations: [{ organizationId }] })
  const declare = (type: ResourceType, id: string) =>
    permissions.add(caller, {
      user: { userId: USERS[0] },
      permissions: { resources: [{ type, id, organizationId, accessRole: 'viewer' }] },
    })
  for (const [index, id] of FOLDERS.entries()) {
    if (spec.folders[index] === 'declared') await declare('folder', id)
    if (spec.folders[index] === 'added')
      await createFolders({ db, pageTokens }).add(caller, { organizationId, folders: [{ folderId: id }] })
  }
  for (const [index, id] of DOCUMENTS.entries()) {
    const present = spec.documents[index]
    if (present === 'declared') await declare('document', id)
    if (present === 'added' || present === 'migrated')
      await documents.add(caller, { organizationId, documents: [{ documentId: id }] })
    if (present === 'migrated') {
      const key = organizationKey(caller, organizationId)
      const [migration] = await db.run(ADD_MIGRATION, [key, id, `${id}-new`, '{}'])
      if (migration !== undefined) await runMigration(db, { organizationKey: key, migrationId: migration.migrationId })
    }
  }
  await grantTemporarily(db, caller, organizationId, spec)
}

/** Creates grants that expire, on the organization and a folder. With `swept`, those that have expired have their events. */
async function grantTemporarily(db: Db, caller: Caller, organizationId: string, spec: Start): Promise<void> {
  if (!spec?.temporary) return
  const { accessRole, swept } = spec.temporary
  const named = { organizationId, accessRole, expiresAt: EXPIRY }
  const resources = [
    { type: 'organization' as const, id: organizationId, ...named },
    { type: 'folder' as const, id: FOLDERS[0], ...named },
  ]
  await createPermissions(db).add(caller, { user: { userId: USERS[0] }, permissions: { resources } })
  if (swept) await sweepExpired({ db, keptDays: 0 })
}

/** Reads the stored state of the caller's organizations. */
export async function stateOf(db: Db, caller: Caller, organizations: readonly string[]): Promise<State> {
  const keys = organizations.map((id) => organizationKey(caller, id))
  const read = async <Row>(text: string) => (await db.query(text, [keys])).rows as Row[]
  const resources = await read<{ name: string; added: boolean }>(/* sql */ `
    select o.organization_id || ' ' || r.kind || ' ' || r.id as name, r.added_at is not null as added
      from resources r join organizations o using (organization_key) where organization_key = any($1::uuid[])`)
  const left = await read<{ name: string; now: string }>(/* sql */ `
    select o.organization_id || ' document ' || a.document_id as name, r.id as now
      from document_aliases a join organizations o using (organization_key) join resources r using (organization_key, resource_key)
     where organization_key = any($1::uuid[])`)
  const grants = await read<{ name: string; held: never }>(/* sql */ `
    select o.organization_id || ' ' || r.kind || ' ' || r.id || ' ' || g.principal || ' ' || held.name as name,
           jsonb_build_object('accessRole', held.role, 'expiresAt', extract(epoch from held.expires_at)::bigint,
                              'expiryReported', held.expires_at is not null and g.expiry_event_at is not null) as held
      from grants g join organizations o using (organization_key) join resources r using (organization_key, resource_key)
      join lateral (values ('standing', g.standing_role, null::timestamptz), ('temporary', g.temporary_role, g.expires_at))
                     as held(name, role, expires_at) on held.role is not null
     where organization_key = any($1::uuid[])`)
  const documents = await read<{ name: string; record: never }>(/* sql */ `
    select o.organization_id || ' document ' || r.id as name,
           jsonb_build_object('name', r.name, 'folderId', f.id, 'accessType', r.own_access_type) as record
      from resources r join organizations o using (organization_key)
      left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
     where r.organization_key = any($1::uuid[]) and r.kind = 'document' and r.added_at is not null`)
  const events = await read<ModelEvent & { organizationId: string }>(/* sql */ `
    select organization_id as "organizationId", type, resource_kind as kind, resource_id as id, user_id as "user", actor, before, after
      from events where stream = any($1::uuid[]) order by stream, sequence`)
  return {
    added: new Set(resources.filter(({ added }) => added).map(({ name }) => name)),
    declared: new Set(resources.filter(({ added }) => !added).map(({ name }) => name)),
    left: new Map(left.map(({ name, now }) => [name, now])),
    grants: new Map(grants.map(({ name, held }) => [name, held])),
    documents: new Map(documents.map(({ name, record }) => [name, record])),
    events: new Map(
      [...Map.groupBy(events, ({ organizationId }) => organizationId)].map(([organization, list]) => [
        organization,
        list.map(({ organizationId: _, ...event }) => event),
      ]),
    ),
  }
}
