/** SQL that adds mails about events. */

import type { MailKind } from '#contract/keys/service-configs.ts'
import { setStatement } from '#platform/db/statement.ts'
import { userDisabled } from '#tenancy/disabled-users.ts'
import { isMember } from '#tenancy/grants.ts'
import { CARRIER } from './statements.ts'

/** Events within this time to one person in one organization become one mail. */
const DELAY = `interval '4 seconds'`

/** The maximum number of users of a group who are notified that the group was granted a role. */
const USERS_OF_GROUP_MAX = 1_000

/** An event to report by mail. */
export interface ReportRow {
  apiKeyId: string
  kind: MailKind
  /** A user or an invitee; null: the users of `groupId`, or without one the owner of the key. */
  userId: string | null
  groupId: string | null
  /** Whether it is sent if the key has no setting for the kind. */
  byDefault: boolean
  stream: string
  sequence: number
  /** Whether the installation has a mail server. */
  hasSmtp: boolean
}

/**
 * Adds a mail for each event that the key wants reported, if the person has an address: one mail for all events of one
 * kind, stream and person, until a worker claims it. For a group, the first users by id are notified. Disabled users
 * get no mail. The profile or the pending invitation is locked: an erasure of the user waits, and then finds the mail.
 */
export const ADD_MAILS = setStatement<ReportRow, never>(
  'mails.add',
  {
    apiKeyId: 'text',
    kind: 'text',
    userId: 'text',
    groupId: 'text',
    byDefault: 'boolean',
    stream: 'uuid',
    sequence: 'bigint',
    hasSmtp: 'boolean',
  },
  /* sql */ `
  with each_person as (
    select item.*, coalesce(member.user_id, item.user_id) as person_id
      from $input
      left join lateral (
        select m.user_id from user_group_members m
         where item.group_id is not null and m.organization_key = item.stream and m.group_id = item.group_id
           and ${isMember('m.organization_key', 'm.user_id')}
         order by m.user_id limit ${USERS_OF_GROUP_MAX}
      ) member on true
     where item.group_id is null or member.user_id is not null
  ),
  asked as materialized (
    select api_key_id, kind, person_id as user_id, stream, bool_or(has_smtp) as has_smtp, bool_or(by_default) as by_default, array_agg(sequence order by ord) as sequences
      from each_person group by api_key_id, kind, person_id, stream
  ),
  wanted as materialized (
    select a.*, k.owner_email, k.carrier from asked a
     cross join lateral (
        select k.owner_email,
               ${CARRIER} as carrier
          from api_keys k
         where k.api_key_id = a.api_key_id and k.use_email_service
           and coalesce((k.email_service_config->'triggers'->>a.kind)::boolean, a.by_default) limit 1
     ) k
     where k.carrier <> 'smtp' or a.has_smtp
  ),
  person as materialized (
    select u.api_key_id, u.user_id, u.profile->>'email' as email from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from wanted where user_id is not null)
       and u.profile ? 'email' and not ${userDisabled('u.api_key_id', 'u.user_id')}
     order by u.api_key_id, u.user_id for key share
  ),
  invited as materialized (
    select i.* from (select stream, user_id from wanted where starts_with(user_id, chr(2)) order by stream, user_id) w
     cross join lateral (
        select i.organization_key, i.invitee, i.email from invitations i
         where i.organization_key = w.stream and i.invitee = w.user_id and i.status is not distinct from 'PENDING'
         order by i.invitation_id for key share
     ) i
  )
  insert into mails (api_key_id, kind, carrier, user_id, recipient, stream, sequences, due_at)
  select w.api_key_id, w.kind, w.carrier, w.user_id, coalesce(p.email, i.email, w.owner_email), w.stream, w.sequences,
         clock_timestamp() + ${DELAY}
    from wanted w
    left join person p on p.api_key_id = w.api_key_id and p.user_id = w.user_id
    left join (select organization_key, invitee, max(email) as email from invited group by organization_key, invitee) i
           on i.organization_key = w.stream and i.invitee = w.user_id
   where w.user_id is null or p.user_id is not null or i.invitee is not null
  on conflict (api_key_id, kind, stream, user_id, collects) where claims = 0
  do update set sequences = mails.sequences || excluded.sequences, due_at = least(mails.due_at, excluded.due_at)`,
)
