/** Every SQL text of mails: asking for them, sending them, and forgetting them. */
import type { ResourceType } from '#contract/permissions.ts'
import type { MailKind } from '#contract/service-configs.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'

/** What a mail goes through. */
export type Carrier = 'smtp' | 'sendgrid'

export interface MailJob {
  mailId: string
}

/** So long nobody else takes a mail that is being sent. An attempt is shorter. */
const ATTEMPT = `interval '1 minute'`

/** The queue waits less between two attempts. */
const LONGEST_PAUSE = `interval '15 minutes'`

/** After this time a mail is given up. */
const LIFETIME = `interval '1 day'`

/** An event that a mail may tell of. */
export interface TellingRow {
  apiKeyId: string
  kind: MailKind
  /** Null: the owner of the key. */
  userId: string | null
  stream: string
  sequence: number
  /** Whether the installation has a mail server. */
  hasSmtp: boolean
}

/**
 * Adds the mails that events ask for where the key wants them and the person has an address: one for all events of one
 * kind, stream and person, until it is taken to be sent. The profile is held: whoever erases the user waits, and then finds the mail.
 */
export const ADD_MAILS = setStatement<TellingRow, MailJob & { carrier: Carrier }>(
  'mails.add',
  { apiKeyId: 'text', kind: 'text', userId: 'text', stream: 'uuid', sequence: 'bigint', hasSmtp: 'boolean' },
  /* sql */ `
  with asked as materialized (
    select api_key_id, kind, user_id, stream, bool_or(has_smtp) as has_smtp, array_agg(sequence order by ord) as sequences
      from $input group by api_key_id, kind, user_id, stream
  ),
  wanted as materialized (
    select a.*, k.owner_email, k.carrier from asked a
     cross join lateral (
        select k.owner_email,
               case when k.email_service_config->>'type' = 'sendgrid' then 'sendgrid' else 'smtp' end as carrier
          from api_keys k
         where k.api_key_id = a.api_key_id and k.use_email_service
           and coalesce((k.email_service_config->'triggers'->>a.kind)::boolean, a.user_id is null) limit 1
     ) k
     where k.carrier <> 'smtp' or a.has_smtp
  ),
  person as materialized (
    select u.api_key_id, u.user_id, u.profile->>'email' as email from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from wanted where user_id is not null)
       and u.profile ? 'email'
     order by u.api_key_id, u.user_id for key share
  )
  insert into mails (api_key_id, kind, carrier, user_id, recipient, stream, sequences, lease_until)
  select w.api_key_id, w.kind, w.carrier, w.user_id, coalesce(p.email, w.owner_email), w.stream, w.sequences,
         clock_timestamp() + ${ATTEMPT}
    from wanted w
    left join person p on p.api_key_id = w.api_key_id and p.user_id = w.user_id
   where w.user_id is null or p.user_id is not null
  on conflict (api_key_id, kind, stream, user_id) where taken_at is null
  do update set sequences = mails.sequences || excluded.sequences
  returning mail_id as "mailId", carrier`,
)

export interface KeyRow {
  apiKeyId: string
  apiKeyName: string
  useEmailService: boolean
  config: { type?: string; fromEmail?: string; fromCompany?: string; templateIds?: Record<string, string> }
  sealed: Buffer | null
}

const KEY = /* sql */ `
  k.api_key_id as "apiKeyId", k.name as "apiKeyName", k.use_email_service as "useEmailService",
  k.email_service_config as config, k.email_service_key_sealed as sealed`

export interface MailRow extends KeyRow {
  kind: MailKind
  userId: string | null
  recipient: string
  stream: string
  sequences: string[]
  overdue: boolean
}

/** Takes a mail that is not finished for an attempt. */
export const TAKE_MAIL = statement<MailRow>(
  'mails.take',
  /* sql */ `
  with taken as (
    update mails set lease_until = clock_timestamp() + ${ATTEMPT}, taken_at = coalesce(taken_at, clock_timestamp())
     where mail_id = $1 and state = 'pending'
    returning *
  )
  select t.kind, t.user_id as "userId", t.recipient, t.stream, t.sequences::text[],
         t.created_at < clock_timestamp() - ${LIFETIME} as overdue, k.*
    from taken t cross join lateral (select ${KEY} from api_keys k where k.api_key_id = t.api_key_id limit 1) k`,
)

/** The key that asks for a test mail. */
export const GET_KEY = statement<KeyRow & { ownerEmail: string }>(
  'mails.get-key',
  `select ${KEY}, k.owner_email as "ownerEmail" from api_keys k where k.api_key_id = $1`,
)

export interface ToldRow {
  changedAt: Date
  resourceType: ResourceType | null
  resourceId: string | null
  resourceName: string | null
  organizationId: string | null
  organizationName: string | null
  actor: Actor & { system?: string }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** The events `$2` of a stream, with the names that their resources have now. Those of an erased user are not told. */
export const GET_TOLD = statement<ToldRow>(
  'mails.get-told',
  /* sql */ `
  select e.changed_at as "changedAt", e.resource_kind as "resourceType", e.resource_id as "resourceId",
         coalesce(r.name, case e.resource_kind when 'organization' then o.name end) as "resourceName", e.organization_id as "organizationId", o.name as "organizationName",
         e.actor, e.before, e.after
    from events e
    left join lateral (
      select r.name from resources r
       where r.organization_key = $1 and r.kind = e.resource_kind and r.id = e.resource_id limit 1
    ) r on true
    left join lateral (select o.name from organizations o where o.organization_key = $1 limit 1) o on true
   where e.stream = $1 and e.sequence = any($2::bigint[]) and e.user_id is not distinct from $3::text
   order by e.sequence limit $4::int`,
)

export const GET_USER_NAME = statement<{ name: string | null }>(
  'mails.get-user-name',
  `select profile->>'name' as name from users where api_key_id = $1 and user_id = $2`,
)

/** `$2`: why it failed, or null when it is sent. */
export const FINISH_MAIL = statement<never>(
  'mails.finish',
  /* sql */ `
  update mails set state = case when $2::text is null then 'sent' else 'failed' end, error = $2, finished_at = clock_timestamp()
   where mail_id = $1 and state = 'pending'`,
)

/** Notes why an attempt failed; the queue makes the next. */
export const POSTPONE_MAIL = statement<never>(
  'mails.postpone',
  /* sql */ `
  update mails set error = $2, lease_until = clock_timestamp() + ${LONGEST_PAUSE}
   where mail_id = $1 and state = 'pending'`,
)

/** Mails of a carrier that nobody works on: their lease is over. They get a new lease and go to the caller; each to one of several processes. */
const takeAbandoned = (carrier: Carrier) => /* sql */ `
  with clock as materialized (select clock_timestamp() as now),
  lost as (
    select ctid from mails
     where carrier = '${carrier}' and finished_at is null and lease_until < (select now from clock)
     order by lease_until limit 100 for update skip locked
  )
  update mails m set lease_until = clock_timestamp() + ${ATTEMPT} from lost where m.ctid = lost.ctid
  returning m.mail_id as "mailId"`

export const TAKE_ABANDONED_SMTP = statement<MailJob>('mails.take-abandoned-smtp', takeAbandoned('smtp'))

export const TAKE_ABANDONED_SENDGRID = statement<MailJob>('mails.take-abandoned-sendgrid', takeAbandoned('sendgrid'))

/** Forgets mails that are long finished, at most 1,000 at a time; not those that another process forgets. */
export const FORGET_MAILS = statement<{ count: number }>(
  'mails.forget',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  old as (
    select ctid from mails where finished_at < (select now from clock) - interval '30 days'
     order by finished_at limit 1000 for update skip locked
  ),
  forgotten as (delete from mails m using old where m.ctid = old.ctid returning 1)
  select count(*)::int as count from forgotten`,
)

/** What is not sent yet, for each carrier: so many at most. */
export const COUNT_WAITING = statement<{ carrier: Carrier; count: number; oldestSeconds: number }>(
  'mails.count-waiting',
  /* sql */ `
  select c.carrier, count(m.created_at)::int as count,
         coalesce(extract(epoch from max(clock_timestamp() - m.created_at)), 0)::float8 as "oldestSeconds"
    from (values ('smtp'), ('sendgrid')) c (carrier)
    left join lateral (
      select m.created_at from mails m
       where m.carrier = c.carrier and m.finished_at is null order by m.lease_until limit 10000
    ) m on true
   group by c.carrier`,
)
