/** A mail as carriers get it, and its refusals. */
import type { Content } from '../content.ts'

export interface Message {
  /** All attempts have the same id, so that receivers can drop duplicates. */
  id: string
  to: string
  fromEmail: string
  fromCompany: string
  content: Content
  /** A template of the provider, filled with the variables; '' for our own content. */
  templateId: string
  variables?: object
  /** The user who acted, and who gets the replies if the address is known; absent: the company is the sender. */
  actor?: { name: string; email: string }
  headers?: Record<string, string>
  /** Called when all of the mail is ready, right before the server may accept it. If it throws, the mail is not sent. */
  commit?: () => Promise<void>
}

/** The server was not reached, so it has not accepted the mail. */
export class Unreached extends Error {}

/**
 * Why this mail is refused, in the words of the server or ours; may name the recipient. Any other error is about
 * reaching the server.
 */
export class Refused extends Error {
  /** A retry would be refused again: the address does not exist, or the receiver does not want such mail. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

export const undeliverable = (message: string): Refused => new Refused(message, true)

const LONGEST_ANSWER = 500

/** Returns a server's response for troubleshooting, with the secret removed even if the server repeats it. */
export function answerOf(text: string, secret = ''): string {
  const open = secret === '' ? text : text.replaceAll(secret, '********')
  return open
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_ANSWER)
}
