/** SQL that erases users: finds the organizations that hold data about them, and deletes or empties it. */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { tablesWhere, userColumn } from '#tenancy/tables.ts'
import { findKnowing, type KnowingRow, ROWS_MAX } from '#tenancy/user-jobs/statements.ts'

/** The tables of organizations that hold user ids. Deleted organizations still hold events about users. */
const KNOWING = tablesWhere(({ belongsTo, user }) => belongsTo === 'organization' && user !== undefined)

export const FIND_KNOWING = statement<KnowingRow>('user-data.find-knowing', findKnowing(KNOWING))

/** Finds those of the organizations `$5` that know the user. */
export const FIND_NAMED_KNOWING = statement<KnowingRow>(
  'user-data.find-named-knowing',
  findKnowing(KNOWING, 'organization_id = any($5::text[])'),
)

/** The tables of organizations from which an erasure deletes a user's rows. */
const HOLDING = tablesWhere(({ belongsTo, user }) => belongsTo === 'organization' && user === 'deleted')

export interface RemovedUserRow {
  organizationKey: OrganizationKey
  userId: string
  pseudonym: string
  jobId: string
  actor: Actor
}

/**
 * Removes users from organizations and writes one event for each user and organization where something was removed.
 * Runs under the lock of the organizations.
 */
export const REMOVE_USERS = setStatement<RemovedUserRow, never>(
  'user-data.remove-users',
  { organizationKey: 'uuid', userId: 'text', pseudonym: 'text', jobId: 'text', actor: 'jsonb' },
  /* sql */ `
  with item as materialized (select * from $input),
  ${HOLDING.map(
    (table) => /* sql */ `deleted_${table} as (
    delete from ${table} t
     using item cross join lateral (
        select h.ctid as row from ${table} h
         where h.organization_key = item.organization_key and h.${userColumn(table)} = item.user_id offset 0
     ) held
     where t.ctid = held.row
    returning t.organization_key, item.user_id
  ),`,
  ).join('\n  ')}
  had as (
    select organization_key, user_id, count(*) filter (where held = 'grants') as permissions,
           count(*) filter (where held = 'user_group_members') as user_groups,
           count(*) filter (where held = 'invitations') as invitations
      from (${HOLDING.map((table) => `select *, '${table}' as held from deleted_${table}`).join('\n            union all ')}) gone
     group by organization_key, user_id
  ),
  event as (
    select item.organization_key, item.ord as position, 'user.removed' as type, null::resource_kind as resource_kind,
           null::text as resource_id, item.pseudonym as user_id, item.actor,
           jsonb_build_object('permissions', had.permissions, 'userGroups', had.user_groups, 'invitations', had.invitations) as before,
           jsonb_build_object('jobId', item.job_id) as after
      from item join had on had.organization_key = item.organization_key and had.user_id = item.user_id
     where not starts_with(item.user_id, chr(2)) -- an address of the user, who has an event already
  ),
  ${RECORD_EVENTS}
  select null where false`,
)

/**
 * Forgets that users sent invitations to others. Runs under the lock of the organizations. Joins by `ctid`, which
 * cannot change under the lock.
 */
export const FORGET_INVITERS = setStatement<{ organizationKey: OrganizationKey; userId: string }, never>(
  'user-data.forget-inviters',
  { organizationKey: 'uuid', userId: 'text' },
  /* sql */ `
  with item as materialized (select * from $input),
  forgotten as (
    update invitations i set inviter = null, invited_by = null
      from (select sent.row from item
             cross join lateral (
               select i.ctid as row from invitations i
                where i.organization_key = item.organization_key and i.inviter = item.user_id offset 0
             ) sent) found
     where i.ctid = found.row
  )
  select null where false`,
)

/** Returns the addresses of the invitations that users accepted, which the events of these invitations name. */
export const FIND_ACCEPTED_ADDRESSES = setStatement<
  { organizationKey: OrganizationKey; userId: string },
  { organizationKey: OrganizationKey; userId: string; address: string }
>(
  'user-data.find-accepted-addresses',
  { organizationKey: 'uuid', userId: 'text' },
  /* sql */ `
  select distinct item.organization_key as "organizationKey", item.user_id as "userId", i.address
    from $input
   cross join lateral (
      select i.address from invitations i
       where i.organization_key = item.organization_key and i.invitee = item.user_id offset 0
   ) i`,
)

/** Returns the e-mail addresses in the profiles of users `$2`. */
export const FIND_ADDRESSES = statement<{ email: string }>(
  'user-data.find-addresses',
  /* sql */ `
  select u.profile->>'email' as email from users u
   where u.api_key_id = $1 and u.user_id = any($2::text[]) and u.profile ? 'email'`,
)

/** The CTE `page`: the first events of a stream in which the user is `userId`, at most `ROWS_MAX`. */
const pageOfEvents = (userId: string): string => /* sql */ `with item as materialized (select * from $input),
  page as materialized (
    select e.stream, e.sequence, item.pseudonym from item
     cross join lateral (select stream, sequence from events e where e.stream = item.stream and ${userId} = item.user_id
                          order by sequence limit ${ROWS_MAX}) e
     limit ${ROWS_MAX}
  )`

/** Events whose payload says nothing about the person: a role and its expiry, counts. The payload of any other event is emptied. */
const KEPT = `(e.type like 'permission.%' or e.type = 'user.removed')`

/**
 * Replaces the users of events by pseudonyms and empties the payloads, at most `ROWS_MAX` events at once. Returns how many
 * it erased. Number, time, type, actor and resource stay (ADR 0010).
 */
export const ERASE_EVENTS = setStatement<{ stream: string; userId: string; pseudonym: string }, { erased: number }>(
  'user-data.erase-events',
  { stream: 'uuid', userId: 'text', pseudonym: 'text' },
  /* sql */ `
  ${pageOfEvents('e.user_id')},
  erased as (
    update events e
       set user_id = page.pseudonym,
           before = case when ${KEPT} or e.before is null then e.before else '{}' end,
           after = case when ${KEPT} or e.after is null then e.after else '{}' end
      from page where e.stream = page.stream and e.sequence = page.sequence
    returning 1
  )
  select count(*)::int as erased from erased`,
)

/** Replaces the users who shared documents, in the actors of events, by pseudonyms, at most `ROWS_MAX` at once. Returns how many. */
export const ERASE_ACTORS = setStatement<{ stream: string; userId: string; pseudonym: string }, { erased: number }>(
  'user-data.erase-actors',
  { stream: 'uuid', userId: 'text', pseudonym: 'text' },
  /* sql */ `
  ${pageOfEvents(`e.actor ->> 'userId'`)},
  erased as (
    update events e set actor = jsonb_set(e.actor, '{userId}', to_jsonb(page.pseudonym))
      from page where e.stream = page.stream and e.sequence = page.sequence
    returning 1
  )
  select count(*)::int as erased from erased`,
)

/**
 * Replaces the users of activities by pseudonyms and removes the content of the activities, at most `ROWS_MAX` at once.
 * Returns how many it erased. Time, types, target and document stay. Joins by `ctid`, which cannot change under the
 * lock.
 */
export const ERASE_ACTIVITIES = setStatement<
  { organizationKey: OrganizationKey; userId: string; pseudonym: string },
  { erased: number }
>(
  'user-data.erase-activities',
  { organizationKey: 'uuid', userId: 'text', pseudonym: 'text' },
  /* sql */ `
  with item as materialized (select * from $input),
  page as materialized (
    select a.row, item.pseudonym from item
     cross join lateral (select ctid as row from activities a
                          where a.organization_key = item.organization_key and a.actor_id = item.user_id limit ${ROWS_MAX}) a
     limit ${ROWS_MAX}
  ),
  erased as (
    update activities a
       set actor_id = page.pseudonym, content = jsonb_build_object('actionUser', jsonb_build_object('userId', page.pseudonym))
      from page where a.ctid = page.row
    returning 1
  )
  select count(*)::int as erased from erased`,
)

/** Deletes profiles, locked in order of user id like every change of them; returns the users that had one. */
export const DELETE_PROFILES = setStatement<{ apiKeyId: ApiKeyId; userId: string }, { userId: string }>(
  'user-data.delete-profiles',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from $input)
     order by u.api_key_id, u.user_id for update
  )
  delete from users u using held where u.api_key_id = held.api_key_id and u.user_id = held.user_id
  returning u.user_id as "userId"`,
)

/**
 * Deletes the mails to users `$2` about streams `$3`; null: about any. Joins by the key: a mail that is being sent gets
 * another `ctid` whenever its lease is renewed, which no lock of the erasure prevents.
 */
export const DELETE_MAILS = statement<never>(
  'user-data.delete-mails',
  /* sql */ `
  with found as materialized (
    select m.mail_id from unnest($2::text[]) as asked (user_id)
     cross join lateral (
        select m.mail_id from mails m
         where m.api_key_id = $1 and m.user_id = asked.user_id and ($3::uuid[] is null or m.stream = any($3::uuid[]))
         offset 0 for update
     ) m
  )
  delete from mails m where m.mail_id = any (array(select mail_id from found))`,
)
