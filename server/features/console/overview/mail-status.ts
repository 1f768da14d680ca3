/** Reports whether an API key can send mail, and the result of its last mails, for the views of the console that promise mail. */
import type { MailKind } from '#contract/keys/service-configs.ts'
import { type MissingForMail, missingForMail } from '#features/service-configs/shared.ts'
import type { Kernel } from '#kernel'
import { statement } from '#platform/db/statement.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'

interface MailRow {
  isOn: boolean
  reportsInvitations: boolean
  service: { type?: 'default' | 'sendgrid' | 'custom'; fromEmail?: string }
  hasProviderKey: boolean
  lastSentAt: Date | null
  lastFailedAt: Date | null
  lastFailedKind: MailKind | null
  retriedKind: MailKind | null
}

/** SQL: the expression of the index of outcomes. */
const OUTCOME = `(m.api_key_id || ' ' || m.state collate "C")`

/** Returns the mail service of a key and the results of its last mails. A mail that failed and will be retried counts as failing. */
export const GET_MAIL_STATUS = statement<MailRow>(
  'overview.mail',
  /* sql */ `
  select k.use_email_service as "isOn", k.email_service_config as service,
         coalesce((k.email_service_config->'triggers'->>'invitation.added')::boolean, true) as "reportsInvitations",
         k.email_service_key_sealed is not null as "hasProviderKey",
         sent.finished_at as "lastSentAt", failed.finished_at as "lastFailedAt", failed.kind as "lastFailedKind",
         retried.kind as "retriedKind"
    from (select * from api_keys where api_key_id = $1) k
    left join lateral (
      select m.finished_at from mails m
       where ${OUTCOME} = k.api_key_id || ' sent' order by m.finished_at desc limit 1
    ) sent on true
    left join lateral (
      select m.finished_at, m.kind from mails m
       where ${OUTCOME} = k.api_key_id || ' failed' order by m.finished_at desc limit 1
    ) failed on true
    left join lateral (
      select m.kind from (
        select m.kind, m.error from mails m where ${OUTCOME} = k.api_key_id || ' pending' limit 1000
      ) m
       where m.error is not null limit 1
    ) retried on true`,
)

export interface MailStatus {
  /** Whether the e-mail service of the key is on. */
  isOn: boolean
  /** Whether mails about invitations are to be sent. */
  reportsInvitations: boolean
  /** The settings that the service lacks to send mail, whether it is switched on or off. */
  missing: readonly MissingForMail[]
  /** The kind of a mail that failed and is tried again. */
  retriedKind?: MailKind
  /** Milliseconds. Finished mails are kept for 30 days. */
  lastSentAt?: number
  lastFailure?: { at: number; kind: MailKind }
}

export const createMailStatus =
  ({ db, config }: Pick<Kernel, 'db' | 'config'>) =>
  async ({ apiKeyId }: Caller): Promise<MailStatus> => {
    const [row] = await db.run(GET_MAIL_STATUS, [apiKeyId])
    if (row === undefined) throw credentialsInvalid()
    const { isOn, reportsInvitations, service, hasProviderKey, lastSentAt, lastFailedAt, lastFailedKind, retriedKind } =
      row
    return {
      isOn,
      reportsInvitations,
      missing: missingForMail({ ...service, apiKey: hasProviderKey ? 'set' : '' }, config.SMTP_URL !== undefined),
      ...(retriedKind === null ? {} : { retriedKind }),
      ...(lastSentAt === null ? {} : { lastSentAt: lastSentAt.getTime() }),
      ...(lastFailedAt === null || lastFailedKind === null
        ? {}
        : { lastFailure: { at: lastFailedAt.getTime(), kind: lastFailedKind } }),
    }
  }
