/** The SQL statements of the levels of users for each channel. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'

/**
 * Merges levels of channels into those of users, each user and resource at most once. Setting a level of `email` for
 * the organization also ends an unsubscription from mails. Runs under the lock of the organization.
 */
export const SET_PREFERENCES = setStatement<
  { organizationKey: OrganizationKey; resourceKey: string; userId: string; channels: object },
  never
>(
  'notification-preferences.set',
  { organizationKey: 'uuid', resourceKey: 'uuid', userId: 'text', channels: 'jsonb' },
  /* sql */ `
  insert into notification_preferences as p (organization_key, resource_key, user_id, channels)
  select organization_key, resource_key, user_id, channels from $input order by organization_key, resource_key, user_id
  on conflict (organization_key, resource_key, user_id) do update set channels = p.channels || excluded.channels, is_mail_off = p.is_mail_off and not excluded.channels ? 'email'`,
)

/**
 * Clears the levels of the `cleared` channels. A row that then says nothing is deleted: it would count among those of the user.
 * Runs under the lock of the organization.
 */
export const CLEAR_PREFERENCES = setStatement<
  { organizationKey: OrganizationKey; resourceKey: string; userId: string; cleared: string },
  never
>(
  'notification-preferences.clear',
  { organizationKey: 'uuid', resourceKey: 'uuid', userId: 'text', cleared: 'jsonb' },
  /* sql */ `
  with stored as materialized (
    select there.row, there.channels - json_texts(item.cleared) as channels, there.is_mail_off from $input
     cross join lateral (
        select p.ctid as row, p.channels, p.is_mail_off from notification_preferences p
         where p.organization_key = item.organization_key and p.resource_key = item.resource_key and p.user_id = item.user_id limit 1
      ) there
  ),
  emptied as (
    delete from notification_preferences p using stored
     where p.ctid = stored.row and stored.channels = '{}' and not stored.is_mail_off
  )
  update notification_preferences p set channels = stored.channels from stored
   where p.ctid = stored.row and (stored.channels <> '{}' or stored.is_mail_off)`,
)

export interface PreferenceRow {
  resourceKey: string
  /** Null: of the organization. */
  documentId: string | null
  channels: Record<string, string>
  /** The user has unsubscribed from all mails about comments of the organization. */
  isMailOff: boolean
}

/**
 * The stored preferences of user `$2` in organization `$1`: for the organization, and for the documents in `$3` or, if it is null, for
 * a page of all. They are found by key, however many the user has.
 */
export const GET_PREFERENCES = statement<PreferenceRow>(
  'notification-preferences.get',
  /* sql */ `
  select p.resource_key as "resourceKey", case when r.kind = 'document' then r.id end as "documentId", p.channels,
         p.is_mail_off as "isMailOff"
    from (
      (select * from notification_preferences
        where organization_key = $1 and user_id = $2 and resource_key <> $1 and $3::uuid[] is null
        order by resource_key limit ${LIMITS.pageSizeMax})
      union all
      select named.* from unnest($3::uuid[] || $1::uuid) as asked (resource_key)
       cross join lateral (
          select p.* from notification_preferences p
           where p.organization_key = $1 and p.user_id = $2 and p.resource_key = asked.resource_key limit 1
        ) named
    ) p
   cross join lateral (
      select r.kind, r.id from resources r where r.organization_key = p.organization_key and r.resource_key = p.resource_key limit 1
    ) r
   order by r.id`,
)

/**
 * Sets the levels of user `$3` on document `$2` of organization `$1` to `NONE`, for the channels `$4` and for all
 * channels that have a level there or in the organization. Runs under the lock of the organization.
 */
export const MUTE_DOCUMENT = statement<never>(
  'notification-preferences.mute',
  /* sql */ `
  insert into notification_preferences (organization_key, resource_key, user_id, channels)
  select $1, $2::uuid, $3::text, (select jsonb_object_agg(name, 'NONE') from (
           select unnest($4::text[]) as name
           union
           select jsonb_object_keys(p.channels) from notification_preferences p
            where p.organization_key = $1 and p.resource_key in ($1, $2::uuid) and p.user_id = $3::text
         ) channel)
  on conflict (organization_key, resource_key, user_id) do update set channels = excluded.channels`,
)

/** Replaces the levels of user `$3` on document `$2` of organization `$1` by `$4`. Runs under the lock of the organization. */
export const FOLLOW_DOCUMENT = statement<never>(
  'notification-preferences.follow',
  /* sql */ `
  insert into notification_preferences (organization_key, resource_key, user_id, channels)
  select r.organization_key, r.resource_key, $3::text, $4::jsonb from resources r
   where r.organization_key = $1 and r.resource_key = $2::uuid
  on conflict (organization_key, resource_key, user_id) do update set channels = excluded.channels`,
)

/**
 * Sets whether user `$2` gets no mails about comments of organization `$1`, which overrides the levels. Has no effect
 * on users without a profile, who get no mails, so an erased user is not named again. Runs under the lock of the
 * organization.
 */
export const SET_MAIL_OFF = statement<never>(
  'notification-preferences.set-mail-off',
  /* sql */ `
  insert into notification_preferences as p (organization_key, resource_key, user_id, channels, is_mail_off)
  select o.organization_key, o.organization_key, u.user_id, '{}', $3::boolean
    from (select o.organization_key, o.api_key_id from organizations o where o.organization_key = $1 limit 1) o
   cross join lateral (select u.user_id from users u where u.api_key_id = o.api_key_id and u.user_id = $2 limit 1) u
  on conflict (organization_key, resource_key, user_id) do update set is_mail_off = excluded.is_mail_off`,
)
