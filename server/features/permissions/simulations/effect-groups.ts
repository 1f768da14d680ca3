/** The CTEs that group the users of a simulation by what it does to their access (ADR 0017). */
import { LIMITS } from '#contract/core/limits.ts'
import { EVERYONE } from './affected.ts'

/** The sources of access of users who keep it, by which these users are also grouped. */
const SOURCE = /* sql */ `case when effect = 'kept' then jsonb_build_array(after -> 'viaType', after -> 'viaId', after -> 'viaGroupId', after -> 'inherited') end`

const resources = (kind: string): string => `count(distinct resource_id) filter (where kind = '${kind}')`

/**
 * The CTEs from `labelled` to `grouped`, a JSON array of `EffectGroupRow`, over `effect`. Users and resources of a group count once
 * each. A batch also returns which resources these are, and all groups of users who keep their access: only all batches together
 * know the largest.
 */
export const GROUPED = /* sql */ `
  labelled as (
    select user_id, kind, resource_id, before, after,
           case when effect <> 'changed' then effect when before -> 'accessRole' = after -> 'accessRole' then 'expiry' else 'role' end as effect,
           after ->> 'accessRole' as role, coalesce(${SOURCE}::text, '') collate "C" as source
      from effect where user_id <> ${EVERYONE}
  ),
  person as (
    select *, row_number() over (partition by effect, role, source order by user_id) as nth
      from (select effect, role, source, user_id, count(*) as resources,
                   (array_agg(jsonb_build_object('kind', kind, 'resourceId', resource_id, 'before', before, 'after', after) order by kind, resource_id))[1] as pair
              from labelled group by effect, role, source, user_id) by_user
  ),
  listed as (
    select effect, role, source,
           jsonb_agg(pair || jsonb_build_object('userId', p.user_id, 'name', u.name, 'resources', resources) order by p.user_id) as people
      from person p
      left join lateral (
        select u.profile ->> 'name' as name from users u where u.api_key_id = (select api_key_id from call) and u.user_id = p.user_id limit 1
      ) u on true
     where nth <= ${LIMITS.effectGroupUsersShownMax} group by effect, role, source
  ),
  sized as (
    select *, row_number() over (partition by effect order by users desc, role, source) as nth
      from (select effect, role, source, count(distinct user_id) as users, ${resources('organization')} as organizations,
                   ${resources('folder')} as folders, ${resources('document')} as documents,
                   case when (select users_in_batch from call) is not null then jsonb_agg(distinct kind || ' ' || resource_id) end as names
              from labelled group by effect, role, source) by_effect
  ),
  grouped as (
    select coalesce(jsonb_agg(jsonb_build_object(
             'effect', s.effect, 'accessRole', s.role, 'key', coalesce(s.role, '') || s.source, 'users', s.users, 'organizations', s.organizations,
             'folders', s.folders, 'documents', s.documents, 'resources', s.names, 'groupName', held.name, 'people', l.people)), '[]') as groups
      from sized s
      join listed l on (l.effect, l.source) = (s.effect, s.source) and l.role is not distinct from s.role
      left join lateral (
        select g.name from user_groups g
         where s.effect = 'kept' and g.organization_key = (select organization_key from call)
           and g.group_id = l.people -> 0 -> 'after' ->> 'viaGroupId' limit 1
      ) held on true
     where s.effect <> 'kept' or s.nth <= ${LIMITS.keptGroupsMax} or (select users_in_batch from call) is not null
  )`
