/** The SQL statement that lists the users with access to a resource. */
import { statement } from '#platform/db/statement.ts'
import { BEFORE_USERS } from '#tenancy/principals.ts'
import { DECISION_COLUMNS, type DecisionRow } from './decision-rows.ts'
import { decided } from './decision-statements.ts'

/** If nobody was found, there is one row whose user columns are null. */
export interface ListedUserRow extends DecisionRow {
  userId: string | null
  everyone: boolean
  /** All users up to this id were examined; null: all users. */
  examinedTo: string | null
}

/**
 * Decides access for the first $6 users after id $5 with a grant that can matter: from the resource up to its boundary, on
 * the organization if members have access, anywhere above if the resource is public. $1 is the organization's key, $2 the
 * key of the resource, $3 the default access type of the API key, $4 the requested role. Grants on each resource are read
 * in user order, so the cost does not depend on their number, and so are the members of each group with a grant there.
 */
export const LIST_PERMITTED_USERS = statement<ListedUserRow>(
  'permitted-users.list',
  /* sql */ `
  with target as materialized (
    select r.kind, r.id, case r.kind when 'document' then coalesce(f.path, array[r.organization_key]) || r.resource_key else r.path end as chain,
           case when r.kind <> 'document' then r.boundary_depth
                when r.own_access_type is not null then coalesce(cardinality(f.path), 1) + 1
                else coalesce(f.boundary_depth, 1) end as boundary_at,
           case r.kind when 'organization' then null
                when 'folder' then coalesce(r.boundary_access_type, $3::access_type)
                else coalesce(r.own_access_type, f.boundary_access_type, $3::access_type) end as access_type
      from resources r
      join organizations o on o.organization_key = r.organization_key
      left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
     where r.organization_key = $1 and r.resource_key = $2 and not o.disabled and not (r.kind = 'document' and r.disabled)
  ),
  source as materialized (
    select above.resource_key
      from target t
     cross join lateral unnest(t.chain) with ordinality as above(resource_key, position)
     where above.position >= t.boundary_at or t.access_type = 'public'
        or t.access_type = 'organizationPrivate' and above.position = 1
  ),
  candidate as materialized (
    select c.user_id, row_number() over (order by c.user_id) as nth
      from (select g.user_id
              from source s
             cross join lateral (
                select g.principal as user_id from grants g
                 where g.organization_key = $1 and g.resource_key = s.resource_key and g.principal > greatest($5::text, ${BEFORE_USERS} collate "C")
                 order by g.principal limit $6
              ) g
             union
            select m.user_id
              from (select distinct g.principal
                      from source s
                     cross join lateral (select g.principal from grants g 
                        where g.organization_key = $1 and g.resource_key = s.resource_key and g.principal < ${BEFORE_USERS} offset 0) g) held
             cross join lateral (
                select m.user_id from user_group_members m
                 where m.organization_key = $1 and m.group_id = substr(held.principal, 2) and m.user_id > coalesce($5::text, '')
                 order by m.user_id limit $6
              ) m) c
     order by c.user_id limit $6::int
  ),
  question as (
    select c.user_id, $1::uuid as organization_key, t.kind, t.id as resource_id,
           $3::access_type as default_access_type, $4::access_role as at_least
      from candidate c cross join target t
  ),
  ${decided('question item')}
  select d.user_id as "userId", ${DECISION_COLUMNS},
         exists (select from target t where t.access_type = 'public') as everyone,
         (select c.user_id from candidate c where c.nth = $6) as "examinedTo"
    from (select) once left join decided d on d.allowed and d.live_rank is not null
   order by d.user_id`,
)
