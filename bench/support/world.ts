/**
 * Fills a large store in SQL: organizations with folder trees and documents, users, and grants on all of them. Each user of
 * an organization is a member and has a grant on a folder and on a document; the default of the API key must be
 * `restricted`. The tables are analyzed, as autovacuum would do soon.
 */
export interface WorldSize {
  organizations: number
  /** Chains of nested folders per organization, each `depth` long; documents are in the last folder of a chain. */
  chains: number
  depth: number
  documents: number
  /** Members per organization; each has three grants. */
  members: number
  /** Users of the whole store, shared by the organizations. */
  users: number
}

export const WORLD: WorldSize = {
  organizations: 1_000,
  chains: 4,
  depth: 5,
  documents: 100,
  members: 100,
  users: 10_000,
}

export const organizationId = (organization: number) => `organization-${organization}`
export const documentId = (document: number) => `document-${document}`
export const userId = ({ users }: WorldSize, organization: number, member: number) =>
  `user-${(organization * 61 + member) % users}`

/** SQL for the first 128 bits of a hash of text. The server derives organization keys like this; here it is used for all keys. */
export const keyOf = (...parts: string[]): string =>
  `substr(encode(sha256(${parts.map((part) => `convert_to(${part}, 'UTF8')`).join(` || '\\x00' || `)}), 'hex'), 1, 32)::uuid`

const STEPS = [
  `insert into organizations (organization_key, api_key_id, organization_id, added_at)
   select ${keyOf('$1', `'organization-' || o`)}, $1, 'organization-' || o, clock_timestamp()
     from generate_series(0, $2::int - 1) o`,
  `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
   select organization_key, organization_key, 'organization', organization_id, clock_timestamp(), array[organization_key], 1, organization_key
     from organizations where api_key_id = $1`,
  // The top folder of the second chain is organizationPrivate, the second folder of the third chain is restricted.
  `insert into resources (organization_key, resource_key, kind, id, folder_key, added_at, own_access_type, path, boundary_depth, boundary_key, boundary_access_type)
   select o.organization_key, path[level + 1], 'folder', 'folder-' || chain || '-' || level,
          case when level > 1 then path[level] end, clock_timestamp(), case when level = own_level then own_type end,
          path[:level + 1], case when level >= own_level then own_level + 1 else 1 end,
          case when level >= own_level then path[own_level + 1] else path[1] end,
          case when level >= own_level then own_type end
     from organizations o
    cross join lateral (
      select chain, level, case chain when 1 then 1 when 2 then 2 end as own_level,
             (case chain when 1 then 'organizationPrivate' when 2 then 'restricted' end)::access_type as own_type,
             o.organization_key || array(select ${keyOf('o.organization_key::text', 'chain::text', 'l::text')}
                                           from generate_series(1, $3::int) l) as path
        from generate_series(0, $2::int - 1) chain, generate_series(1, $3::int) level) f
    where o.api_key_id = $1`,
  // Every tenth document has its own access type.
  `insert into resources (organization_key, resource_key, kind, id, folder_key, added_at, own_access_type)
   select o.organization_key, ${keyOf('o.organization_key::text', `'document'`, 'd::text')}, 'document', 'document-' || d,
          ${keyOf('o.organization_key::text', `(d % $2::int)::text`, '$3::int::text')}, clock_timestamp(),
          case when d % 10 = 9 then 'restricted'::access_type end
     from organizations o, generate_series(0, $4::int - 1) d
    where o.api_key_id = $1`,
  `insert into grants (organization_key, resource_key, principal, kind, standing_role)
   select o.organization_key, target.resource_key, 'user-' || (substr(o.organization_id, 14)::int * 61 + m) % $5::int, target.kind,
          (case when m % 3 = 0 then 'editor' else 'viewer' end)::access_role
     from organizations o, generate_series(0, $6::int - 1) m
    cross join lateral (values
      ('organization'::resource_kind, o.organization_key),
      ('folder', ${keyOf('o.organization_key::text', '(m % $2::int)::text', '(1 + m % $3::int)::text')}),
      ('document', ${keyOf('o.organization_key::text', `'document'`, '(m % $4::int)::text')})) target (kind, resource_key)
    where o.api_key_id = $1`,
]

const TABLES = ['organizations', 'resources', 'grants']

/** Indexes without a constraint, and foreign keys. Rebuilding them after the inserts is much faster than maintaining them. */
const REBUILT = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
    from pg_index i where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
  union all
  select format('alter table %s drop constraint %I', conrelid::regclass, conname),
         format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where conrelid = any($1::regclass[]) and contype = 'f'`

export type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>

/** Fills the data set of `apiKeyId`, which must be empty. */
export async function fillWorld(query: Query, apiKeyId: string, size: WorldSize): Promise<void> {
  const { organizations, chains, depth, documents, users, members } = size
  const [ofOrganizations = '', ofRoots = '', ofFolders = '', ofDocuments = '', ofGrants = ''] = STEPS
  const { rows } = await query(REBUILT, [TABLES])
  const rebuilt = rows as { drop: string; create: string }[]
  for (const { drop } of rebuilt) await query(drop)
  await query(ofOrganizations, [apiKeyId, organizations])
  await query(ofRoots, [apiKeyId])
  await query(ofFolders, [apiKeyId, chains, depth])
  await query(ofDocuments, [apiKeyId, chains, depth, documents])
  await query(ofGrants, [apiKeyId, chains, depth, documents, users, members])
  for (const { create } of rebuilt) await query(create)
  await query(`vacuum (analyze) ${TABLES.join(', ')}`)
}
