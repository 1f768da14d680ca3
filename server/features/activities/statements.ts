/**
 * The SQL statements that record, change and delete activities. All run under the lock of the organization, under which
 * a `ctid` cannot change; each id may appear only once.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { joinMigrated } from '#tenancy/existence.ts'
import { MERGED } from '#tenancy/metadata.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface NewActivityRow extends OrganizationRow {
  documentId: string
  activityId: string
  featureType: string
  actionType: string
  actorId: string
  targetEntityId: string | null
  targetSubEntityId: string | null
  content: object
}

export interface NewActivityOutcome {
  outcome: 'ok' | 'activities_off' | 'organization_does_not_exist' | 'document_does_not_exist' | 'activity_immutable'
  activityId: string
  migratedTo: string | null
}

/**
 * Records activities, all or none. One whose id exists is overwritten, but for its time. The settings of the key decide
 * whether it is immutable.
 */
export const ADD_ACTIVITIES = setStatement<NewActivityRow, NewActivityOutcome>(
  'activities.add',
  {
    organizationKey: 'uuid',
    apiKeyId: 'text',
    documentId: 'text',
    activityId: 'text',
    featureType: 'text',
    actionType: 'text',
    actorId: 'text',
    targetEntityId: 'text',
    targetSubEntityId: 'text',
    content: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, r.resource_key, moved.id as migrated_to, coalesce((k.config->>'immutable')::boolean, false) as is_immutable,
           case when (k.config->>'isEnabled')::boolean is not true then 'activities_off'
                when o.added_at is null then 'organization_does_not_exist'
                when r.resource_key is null then 'document_does_not_exist'
                when held.is_immutable then 'activity_immutable'
                else 'ok' end as outcome
      from $input
      left join lateral (
        select k.activity_config->'activityServiceConfig' as config from api_keys k where k.api_key_id = item.api_key_id limit 1
      ) k on true
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
      ) r on true
      left join lateral (
        select a.is_immutable from activities a
         where a.organization_key = item.organization_key and a.activity_id = item.activity_id limit 1
      ) held on true
      ${joinMigrated('item.organization_key', 'item.document_id', 'r.resource_key is null')}
  ),
  written as (
    insert into activities (organization_key, activity_id, resource_key, recorded_at, feature_type, action_type, actor_id,
                            target_entity_id, target_sub_entity_id, is_immutable, content)
    select organization_key, activity_id, resource_key, coalesce($now, clock_timestamp()), feature_type, action_type, actor_id,
           target_entity_id, target_sub_entity_id, is_immutable, content
      from named where not exists (select from named where outcome <> 'ok')
     order by organization_key, activity_id
    on conflict (organization_key, activity_id) do update
       set resource_key = excluded.resource_key, feature_type = excluded.feature_type, action_type = excluded.action_type,
           actor_id = excluded.actor_id, target_entity_id = excluded.target_entity_id,
           target_sub_entity_id = excluded.target_sub_entity_id, is_immutable = excluded.is_immutable, content = excluded.content
  )
  select activity_id as "activityId", outcome, migrated_to as "migratedTo" from named order by ord`,
)

export interface ActivityOutcome {
  activityId: string
  /** Null: the activity does not exist. */
  isImmutable: boolean | null
}

/** Merges `changes` into stored activities; a null clears a field. */
export const UPDATE_ACTIVITIES = setStatement<
  { organizationKey: OrganizationKey; activityId: string; changes: object },
  ActivityOutcome
>(
  'activities.update',
  { organizationKey: 'uuid', activityId: 'text', changes: 'jsonb' },
  /* sql */ `
  with named as materialized (
    select item.*, held.is_immutable, held.row
      from $input
      left join lateral (
        select a.is_immutable, a.ctid as row from activities a
         where a.organization_key = item.organization_key and a.activity_id = item.activity_id limit 1
      ) held on true
  ),
  written as (
    update activities a set content = ${MERGED('a.content', 'n.changes')} from named n
     where not n.is_immutable and a.ctid = n.row
  )
  select activity_id as "activityId", is_immutable as "isImmutable" from named order by ord`,
)

/**
 * Deletes activities of `source`, those of document `$2`, of target `$3` and among the ids `$4`; null: no such
 * condition. Mutable ones come first, up to the limit.
 */
const deletion = (by: string, source: string) =>
  statement<ActivityOutcome>(
    `activities.delete-by-${by}`,
    /* sql */ `
  with found as materialized (
    select a.activity_id, a.is_immutable, a.row
      from (${source}) a
     where ($2::uuid is null or a.resource_key = $2::uuid)
       and ($3::text is null or a.target_entity_id = $3::text)
       and ($4::text[] is null or a.activity_id = any($4::text[]))
     order by a.is_immutable, a.activity_id limit ${LIMITS.recordsDeletedMax}
  ),
  deleted as (
    delete from activities a using found f where a.ctid = f.row and not f.is_immutable
  )
  select activity_id as "activityId", is_immutable as "isImmutable" from found order by activity_id`,
  )

const selected = (condition: string): string => /* sql */ `select a.*, a.ctid as row from activities a
             where a.organization_key = $1 and ${condition}`

export const DELETE_ACTIVITIES_BY_DOCUMENT = deletion('document', selected('a.resource_key = $2::uuid'))
export const DELETE_ACTIVITIES_BY_TARGET = deletion('target', selected('a.target_entity_id = $3::text'))
export const DELETE_ACTIVITIES_BY_ID = deletion(
  'id',
  /* sql */ `select a.* from (select distinct id from unnest($4::text[]) as asked (id)) asked
             cross join lateral (${selected('a.activity_id = asked.id')} limit 1) a`,
)
