/** SQL of mails: adding them, sending them, and deleting old ones. */

import type { MailKind } from '#contract/keys/service-configs.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { LEASE, leasedRows } from '#platform/jobs/leased-rows.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'
import { isWithin } from '#platform/times.ts'
import { foldedInSql } from '#tenancy/addresses.ts'

export type Carrier = 'smtp' | 'sendgrid'

export interface MailJob {
  mailId: string
}

/** The carrier of the mails of the API key `k`, if it sends any. */
export const CARRIER = `case when k.email_service_config->>'type' = 'sendgrid' then 'sendgrid' else 'smtp' end`

/**
 * How long a mail that is marked as handed over stays with its worker, in seconds. The next worker counts it as sent,
 * even if the mark was stored while the database went away and nothing was sent: so the first one can take the mark back
 * for as long as a failover takes.
 */
export const MARK_SECONDS = 60
export const MARK_LEASE = `interval '${MARK_SECONDS} seconds'`

/** One queue for each carrier: mails that wait for a server that does not respond hold up no others. */
const jobsOf = (carrier: Carrier) =>
  leasedRows<MailJob>({
    name: `mails-${carrier}`,
    table: 'mails',
    key: { mailId: 'mail_id' },
    where: `carrier = '${carrier}'`,
    lease: `case when t.handed_over_at is null then ${LEASE} else ${MARK_LEASE} end`,
    tenant: 'api_key_id',
    retrySeconds: { first: 2, longest: 600 },
  })

export const SMTP_JOBS = jobsOf('smtp')
export const SENDGRID_JOBS = jobsOf('sendgrid')

/** After this time a mail is given up. */
const LIFETIME = `interval '1 day'`

export interface KeyRow {
  apiKeyId: string
  apiKeyName: string
  isDisabled: boolean
  useEmailService: boolean
  settingsHash: string
  config: {
    type?: string
    fromEmail?: string
    fromCompany?: string
    templateIds?: Record<string, string>
    commentTemplateId?: string
    tagTemplateId?: string
    documentUrl?: string
  }
  sealed: Buffer | null
}

/** The hash of everything about a key that decides how its mails are sent. */
export const settingsHash = (key: string): string =>
  `md5(jsonb_build_array(${key}.disabled_at is null, ${key}.use_email_service, ${key}.email_service_config, encode(${key}.email_service_key_sealed, 'hex'))::text)`

const KEY = /* sql */ `
  k.api_key_id as "apiKeyId", k.name as "apiKeyName", k.disabled_at is not null as "isDisabled", k.use_email_service as "useEmailService",
  ${settingsHash('k')} as "settingsHash",
  k.email_service_config as config, k.email_service_key_sealed as sealed`

/** `comment`: about comments. */
type SentKind = MailKind | 'comment'

export interface MailRow extends KeyRow {
  mailId: string
  kind: SentKind
  userId: string | null
  /** The address of its user now; empty: there is none. */
  recipient: string
  stream: string
  sequences: string[]
  overdue: boolean
  /** A server may have accepted it. */
  isHandedOver: boolean
  /** How many mails the address has had within an hour, at most as many as it gets. */
  sentToRecipient: number
}

/** SQL: the address of mail `m` now: that of the profile of its user; empty: it has none. An invitation names its own. */
const ADDRESS = /* sql */ `case when m.user_id is null or m.kind = 'invitation.added' then m.recipient
                  else coalesce((select u.profile->>'email' from users u where u.api_key_id = m.api_key_id and u.user_id = m.user_id), '') end`

/**
 * Returns the mails that are not finished, and how many mails their addresses got through the installation's server
 * within an hour, at most `mailsPerRecipient`. Mails that are being sent now are not counted: each process counts its
 * own.
 */
export const GET_MAILS = setStatement<MailJob & { mailsPerRecipient: number }, MailRow>(
  'mails.get',
  { mailId: 'uuid', mailsPerRecipient: 'int' },
  /* sql */ `
  select item.mail_id as "mailId", m.kind, m.user_id as "userId", person.recipient, m.stream, m.sequences::text[],
         m.created_at < clock_timestamp() - ${LIFETIME} as overdue, m.handed_over_at is not null as "isHandedOver", recent.count as "sentToRecipient", k.*
    from $input
   cross join lateral (select m.* from mails m where m.mail_id = item.mail_id and m.state = 'pending' limit 1) m
   cross join lateral (select ${KEY} from api_keys k where k.api_key_id = m.api_key_id limit 1) k
   cross join lateral (select ${ADDRESS} as recipient) person
   cross join lateral (
      select count(*)::int as count
        from (select from mails r
               where ${foldedInSql('r.recipient')} = ${foldedInSql('person.recipient')} and r.state = 'sent' and r.carrier = 'smtp'
                 and ${isWithin(`coalesce(r.finished_at, 'infinity')`, `interval '1 hour'`, '(select clock_timestamp())')} limit item.mails_per_recipient) sent
   ) recent`,
)

/** The key to send a test mail for. */
export const GET_KEY = statement<KeyRow & { ownerEmail: string }>(
  'mails.get-key',
  `select ${KEY}, k.owner_email as "ownerEmail" from api_keys k where k.api_key_id = $1`,
)

/**
 * Returns a row if the mail still belongs to the worker of claim `$2`, whose lease begins again, and the settings of
 * its key still have the hash `$3`, and the address is still `$4`: a server that slept finds another's claim. The mail
 * then counts for that address.
 */
export const KEEP_MAIL = statement<MailJob>(
  'mails.keep',
  /* sql */ `
  update mails m set due_at = clock_timestamp() + ${LEASE}, recipient = $4
   where m.mail_id = $1 and m.claims = $2::int and m.state = 'pending' and ${ADDRESS} = $4
     and (select ${settingsHash('k')} from api_keys k where k.api_key_id = m.api_key_id limit 1) = $3::text
  returning m.mail_id as "mailId"`,
)

/** Records that a mail was sent, even if another worker has claimed it in the meantime. */
export const FINISH_MAIL = statement<never>(
  'mails.finish',
  `update mails set state = 'sent', error = null, finished_at = clock_timestamp() where mail_id = $1 and state = 'pending'`,
)

/** Records why a mail is not sent, unless another worker has claimed it since claim `$2`. */
export const FAIL_MAIL = statement<MailJob>(
  'mails.fail',
  /* sql */ `
  update mails set state = 'failed', error = $3, finished_at = clock_timestamp()
   where mail_id = $1 and claims = $2::int and state = 'pending' returning mail_id as "mailId"`,
)

/**
 * Records that mails were sent. They are locked in the order of their ids, and updated by them: a lease that is renewed
 * meanwhile moves the row.
 */
export const FINISH_MAILS = setStatement<MailJob, never>(
  'mails.finish-sent',
  { mailId: 'uuid' },
  /* sql */ `
  with mail as materialized (select distinct item.mail_id from $input order by item.mail_id),
  held as materialized (
    select m.mail_id from mail
     cross join lateral (select m.mail_id from mails m where m.mail_id = mail.mail_id and m.state = 'pending' offset 0 for update) m
  )
  update mails m set state = 'sent', error = null, finished_at = clock_timestamp()
   where m.mail_id = any (array(select mail_id from held)) and m.state = 'pending'`,
)

/** Records that a mail was sent as far as is known, with a remark. */
export const FINISH_UNCONFIRMED = statement<never>(
  'mails.finish-unconfirmed',
  `update mails set state = 'sent', error = $2, finished_at = clock_timestamp() where mail_id = $1 and state = 'pending'`,
)

/** Records why an attempt failed, unless another worker has claimed the mail since claim `$2`; there will be another attempt. */
export const SET_MAIL_ERROR = statement<never>(
  'mails.set-error',
  `update mails set error = $3, handed_over_at = null where mail_id = $1 and claims = $2::int and state = 'pending'`,
)

export const DELETE_OLD_MAILS = deletionOfOld('mails.delete-old', {
  table: 'mails',
  column: 'finished_at',
  keptFor: '30 days',
})

/** Counts the mails that are due and not sent yet, by carrier, 10,000 at most. Those that wait for a disabled key are not late. */
export const COUNT_WAITING = statement<{ carrier: Carrier; count: number; oldestSeconds: number }>(
  'mails.count-waiting',
  /* sql */ `
  select c.carrier, count(m.created_at)::int as count,
         coalesce(extract(epoch from max(clock_timestamp() - m.created_at)), 0)::float8 as "oldestSeconds"
    from (values ('smtp'), ('sendgrid')) c (carrier)
    left join lateral (
      select m.created_at from mails m
       where m.carrier = c.carrier and m.finished_at is null and m.due_at <= (select clock_timestamp()) + interval '10 minutes'
         and m.created_at <= (select clock_timestamp())
         and (m.user_id is null or (select k.disabled_at from api_keys k where k.api_key_id = m.api_key_id limit 1) is null)
       order by m.due_at limit 10000
    ) m on true
   group by c.carrier`,
)
