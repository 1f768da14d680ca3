/** Finds out whether the e-mail service of an API key can send anything (rules/contract.md#warnings). */
import type { Warning } from '#contract/core/warnings.ts'
import type { EmailConfig } from '#contract/keys/service-configs.ts'

type EmailService = Pick<EmailConfig['emailServiceConfig'], 'type' | 'apiKey' | 'fromEmail'>

/**
 * Returns `{ warnings }` for a service that is on and cannot send, or nothing. `hasSmtp`: the installation has a mail
 * server.
 */
export function sendingWarnings(
  isOn: boolean,
  service: Partial<EmailService>,
  hasSmtp: boolean,
): { warnings?: Warning[] } {
  const reason = isOn ? whyNot(service, hasSmtp) : undefined
  if (reason === undefined) return {}
  return { warnings: [{ code: 'no_mail_is_sent', message: `useEmailService is on, but no mail is sent: ${reason}` }] }
}

function whyNot(service: Partial<EmailService>, hasSmtp: boolean): string | undefined {
  const missing = missingForMail(service, hasSmtp)
  if (missing.includes('server'))
    return 'the installation has no mail server; the operator sets SMTP_URL and MAIL_FROM, or set emailServiceConfig.type to "sendgrid" with apiKey and fromEmail'
  const fields = missing.map((field) => `emailServiceConfig.${field}`)
  return fields.length === 0 ? undefined : `set ${fields.join(' and ')}`
}

/** The settings that a service needs and does not have, whether it is switched on or off; `server`: the mail server of the installation. */
export type MissingForMail = 'server' | 'apiKey' | 'fromEmail'

/** Returns the settings that the service lacks to send mail; empty if it lacks none. */
export function missingForMail(
  { type, apiKey, fromEmail }: Partial<EmailService>,
  hasSmtp: boolean,
): readonly MissingForMail[] {
  if (type !== 'sendgrid') return hasSmtp ? [] : ['server']
  return [...(apiKey ? [] : (['apiKey'] as const)), ...(fromEmail ? [] : (['fromEmail'] as const))]
}
