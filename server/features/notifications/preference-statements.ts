/** The SQL statements of the levels of users for each channel. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'

/** Merges levels of channels into those of users, each user and resource at most once. Runs under the lock of the organization. */
export const SET_PREFERENCES = setStatement<
  { organizationKey: OrganizationKey; resourceKey: string; userId: string; channels: object },
  never
>(
  'notification-preferences.set',
  { organizationKey: 'uuid', resourceKey: 'uuid', userId: 'text', channels: 'jsonb' },
  /* sql */ `
  insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, resource_key, user_id, channels from $input order by organization_key, resource_key, user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = p.channels || excluded.channels`,
)

export interface PreferenceRow {
  resourceKey: string
  /** Null: of the organization. */
  documentId: string | null
  channels: Record<string, string>
}

/** The preferences of user `$2` in organization `$1` that are stored: of the organization, and of documents, of those in `$3` alone if it is not null. */
export const GET_PREFERENCES = statement<PreferenceRow>(
  'notification-preferences.get',
  /* sql */ `
  select p.resource_key as "resourceKey", case when r.kind = 'document' then r.id end as "documentId", p.channels
    from (select * from notification_preferences
           where organization_key = $1 and user_id = $2 and ($3::uuid[] is null or resource_key = $1 or resource_key = any($3::uuid[]))
           order by resource_key limit ${LIMITS.pageSizeMax}) p
   cross join lateral (
      select r.kind, r.id from resources r where r.organization_key = p.organization_key and r.resource_key = p.resource_key limit 1
    ) r
   order by r.id`,
)
