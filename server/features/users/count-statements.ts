/** The SQL statements that count the users of a resource. */
import { statement } from '#platform/db/statement.ts'
import { isLive } from '#tenancy/grants.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'

const IS_LIVE = isLive('g')

/** Counts the users with a live grant on resource `$2`. */
export const COUNT_USERS = statement<{ count: number }>(
  'users.count',
  /* sql */ `
  select count(*) as count from grants g where g.organization_key = $1 and g.resource_key = $2
     and g.principal > ${BEFORE_USERS} and ${IS_LIVE}`,
)

/** Counts user `$3` alone in the same way, on a resource of kind `$4`. */
export const COUNT_NAMED_USER = statement<{ count: number }>(
  'users.count-named',
  /* sql */ `
  select count(*) as count from grants g
   where g.organization_key = $1 and g.resource_key = $2 and g.principal = $3
     and g.kind = $4::resource_kind and ${IS_LIVE}`,
)

/** Counts the users with a live grant on any document. */
export const COUNT_DOCUMENT_USERS = statement<{ count: number }>(
  'users.count-of-documents',
  /* sql */ `
  select count(*) as count
    from (select from grants g where g.organization_key = $1 and g.kind = 'document'
             and g.principal > ${BEFORE_USERS} and ${IS_LIVE} group by g.principal) u`,
)

/** Counts user `$2` alone in the same way. */
export const COUNT_NAMED_DOCUMENT_USER = statement<{ count: number }>(
  'users.count-named-of-documents',
  /* sql */ `
  select count(*) as count
    from (select from grants g where g.organization_key = $1 and g.principal = $2 and g.kind = 'document'
             and ${IS_LIVE} limit 1) u`,
)
