/** Sends mails through SendGrid's HTTP API, with the account of the API key. */
import { isMailAddress } from '#contract/core/addresses.ts'
import { answerOf, type Message, Refused, Unreached, undeliverable } from './message.ts'
import { senderName } from './smtp.ts'

const ATTEMPT_MS = 20_000
const ANSWER_BYTES_MAX = 4_096

/** Statuses that are about the moment, not about the mail; faults of the provider (5xx) are too. */
const PASSING = [408, 425, 429]
const FAULTS_FROM = 500

/** Faults after which the provider has not got the request. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

export function createSendGrid(baseUrl: string) {
  /** Returns the provider's response. */
  return async (message: Message, providerKey: string): Promise<string> => {
    if (!/^[\x21-\x7e]+$/.test(providerKey)) throw undeliverable('emailServiceConfig.apiKey is no key of a provider.')
    await message.commit?.()
    const answer = await fetch(`${baseUrl}/v3/mail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${providerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(requestOf(message)),
      redirect: 'manual',
      signal: AbortSignal.timeout(ATTEMPT_MS),
    }).catch((error: Error) => {
      const { code = '' } = (error.cause ?? {}) as { code?: string }
      throw UNREACHED.includes(code) ? new Unreached(`${error.message}: ${code}`, { cause: error }) : error
    })
    const said = answerOf(`${answer.status} ${answer.statusText} ${await beginningOf(answer)}`, providerKey)
    if (answer.ok) return said
    throw new Refused(said, answer.status < FAULTS_FROM && !PASSING.includes(answer.status))
  }
}

function requestOf(message: Message): object {
  const { id, to, fromEmail, fromCompany, content, templateId, variables, actor, headers } = message
  const sender = actor === undefined ? fromCompany : senderName(actor, fromCompany)
  const body =
    templateId === '' || variables === undefined
      ? {
          personalizations: [{ to: [{ email: to }] }],
          subject: content.subject,
          content: [
            { type: 'text/plain', value: content.text },
            { type: 'text/html', value: content.html },
          ],
        }
      : { personalizations: [{ to: [{ email: to }], dynamic_template_data: variables }], template_id: templateId }
  return {
    ...body,
    from: { email: fromEmail, ...(sender === '' ? {} : { name: sender }) },
    ...(actor !== undefined && isMailAddress(actor.email) && { reply_to: { email: actor.email, name: actor.name } }),
    headers: { 'Message-ID': id, 'Auto-Submitted': 'auto-generated', ...headers },
  }
}

/** Reads the beginning of a response and no more. */
async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ANSWER_BYTES_MAX) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
