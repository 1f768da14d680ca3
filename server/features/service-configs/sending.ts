/** Whether the e-mail service of an API key can send anything (rules/contract.md#warnings). */
import type { EmailConfig } from '#contract/service-configs.ts'

type EmailService = Pick<EmailConfig['emailServiceConfig'], 'type' | 'apiKey' | 'fromEmail'>

/** Returns `{ warnings }` for a service that is on and cannot send, or nothing. `hasSmtp`: the installation has a mail server. */
export function sendingWarnings(
  isOn: boolean,
  service: Partial<EmailService>,
  hasSmtp: boolean,
): { warnings?: string[] } {
  const reason = isOn ? whyNoMail(service, hasSmtp) : undefined
  return reason === undefined ? {} : { warnings: [`useEmailService is on, but no mail is sent: ${reason}`] }
}

/** Returns why the service could send no mail even if it were on; undefined: it could. */
export function whyNoMail({ type, apiKey, fromEmail }: Partial<EmailService>, hasSmtp: boolean): string | undefined {
  if (type !== 'sendgrid')
    return hasSmtp
      ? undefined
      : 'the installation has no mail server; the operator sets SMTP_URL and MAIL_FROM, or set emailServiceConfig.type to "sendgrid" with apiKey and fromEmail'
  const missing = Object.entries({ apiKey, fromEmail }).flatMap(([name, value]) => (value ? [] : [name]))
  return missing.length === 0 ? undefined : `set emailServiceConfig.${missing.join(' and emailServiceConfig.')}`
}
