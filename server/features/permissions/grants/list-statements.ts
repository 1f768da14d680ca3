/** The SQL statement that lists the grants of an organization. */
import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import { statement } from '#platform/db/statement.ts'
import { joinEach } from '#tenancy/grants.ts'
import { type AccessInForce, accessInForce } from '#tenancy/public-access.ts'

/** A grant. Without a principal: the last resource that the page may examine. */
export interface ListedGrantRow extends AccessInForce {
  type: ResourceType
  id: string
  principal: string | null
  isTemporary: boolean | null
  accessRole: AccessRole | null
  expiresAt: Date | null
  /** Whether a permission provider gave it. */
  isProvided: boolean | null
}

/**
 * Lists the grants of organization `$1`, ordered by kind and id of the resource and by principal, the standing one before the
 * temporary one, starting after the grant of principal `$4` (null: after the last) on the resource `$2`, `$3`, which was the
 * temporary one if `$7`. Returns at most `$6` grants of at most `$5` resources.
 * Resources and their grants are read in index order, so the scan stops when the page is full, however many grants the
 * remaining resources have.
 */
export const LIST_GRANTS = statement<ListedGrantRow>(
  'grants.list',
  /* sql */ `
  select r.kind as type, r.id, g.principal, g.is_temporary as "isTemporary", g.role as "accessRole", g.expires_at as "expiresAt",
         g.is_temporary and g.provided_by is not null as "isProvided", in_force.access
    from (select r.kind, r.id, r.resource_key, row_number() over (order by r.kind, r.id) as nth
            from (select r.kind, r.id, r.resource_key from resources r
                   where r.organization_key = $1 and (r.kind, r.id) >= ($2::resource_kind, $3::text)
                   order by r.kind, r.id limit $5::int) r) r
    left join lateral (
      select g.principal, g.provided_by, each_grant.* from grants g${joinEach('g')}
       where g.organization_key = $1 and g.resource_key = r.resource_key
         and g.principal >= case when r.kind = $2::resource_kind and r.id = $3::text then $4::text else '' end
         and (r.kind <> $2::resource_kind or r.id <> $3::text or (g.principal, each_grant.is_temporary) > ($4::text, $7::boolean))
       order by g.principal, each_grant.is_temporary limit $6::int
    ) g on true
    left join lateral (
      select ${accessInForce('$1')}
        from (select own.* from resources own where own.organization_key = $1 and own.resource_key = r.resource_key limit 1) r
       where g.principal is not null
    ) in_force on true
   where g.principal is not null or r.nth = $5::int
   order by r.kind, r.id, g.principal, g.is_temporary limit $6::int`,
)
