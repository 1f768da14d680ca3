/**
 * A large store, made by the database itself: organizations with folder trees and documents, users, and grants on all
 * of them. Each user of an organization is a member and has a grant on a folder and on a document; the API key's default
 * must be `restricted`. Analyzed before it is used, as the database does it itself before long.
 */
export interface WorldSize {
  organizations: number
  /** Of each organization: chains of folders, each `depth` long; its documents lie in the last folder of a chain. */
  chains: number
  depth: number
  documents: number
  /** Of each organization; a third of its grants. */
  members: number
  /** Of the whole store; organizations share them. */
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
/** The user of an organization's `member`. */
export const userId = ({ users }: WorldSize, organization: number, member: number) =>
  `user-${(organization * 61 + member) % users}`

/** The first 128 bits of a hash of text: what the server makes keys of organizations of; here, of everything. */
const keyOf = (...parts: string[]): string =>
  `substr(encode(sha256(${parts.map((part) => `convert_to(${part}, 'UTF8')`).join(` || '\\x00' || `)}), 'hex'), 1, 32)::uuid`

const STEPS = [
  `insert into organizations (organization_key, api_key_id, organization_id, added_at)
   select ${keyOf('$1', `'organization-' || o`)}, $1, 'organization-' || o, clock_timestamp()
     from generate_series(0, $2::int - 1) o`,
  `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
   select organization_key, organization_key, 'organization', organization_id, clock_timestamp(), array[organization_key], 1, organization_key
     from organizations where api_key_id = $1`,
  // Of the second chain the top folder is organizationPrivate, of the third the next one is restricted.
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
  // Every tenth document has a type of its own.
  `insert into resources (organization_key, resource_key, kind, id, folder_key, added_at, own_access_type)
   select o.organization_key, ${keyOf('o.organization_key::text', `'document'`, 'd::text')}, 'document', 'document-' || d,
          ${keyOf('o.organization_key::text', `(d % $2::int)::text`, '$3::int::text')}, clock_timestamp(),
          case when d % 10 = 9 then 'restricted'::access_type end
     from organizations o, generate_series(0, $4::int - 1) d
    where o.api_key_id = $1`,
  `insert into grants (organization_key, resource_key, user_id, kind, role)
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

/** Indexes without a constraint, and foreign keys: made anew over many rows they are the same, and made much faster. */
const MADE_ANEW = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
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
  const { rows } = await query(MADE_ANEW, [TABLES])
  const made = rows as { drop: string; make: string }[]
  for (const { drop } of made) await query(drop)
  await query(ofOrganizations, [apiKeyId, organizations])
  await query(ofRoots, [apiKeyId])
  await query(ofFolders, [apiKeyId, chains, depth])
  await query(ofDocuments, [apiKeyId, chains, depth, documents])
  await query(ofGrants, [apiKeyId, chains, depth, documents, users, members])
  for (const { make } of made) await query(make)
  await query(`vacuum (analyze) ${TABLES.join(', ')}`)
}
