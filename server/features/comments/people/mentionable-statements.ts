/** The SQL statement of the people whom a guest can mention. */
import { statement } from '#platform/db/statement.ts'
import { isLive } from '#tenancy/grants.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'

/** Returns the next `$4` users after `$3` with a live grant of their own on resource `$2` of organization `$1`. */
export const LIST_GRANTED_USERS = statement<{ userId: string }>(
  'mentionable-users.list-granted',
  /* sql */ `
  select g.principal as "userId" from grants g
   where g.organization_key = $1 and g.resource_key = $2::uuid and g.principal > greatest($3::text, ${BEFORE_USERS} collate "C")
     and ${isLive('g')}
   order by g.principal limit $4::int`,
)
