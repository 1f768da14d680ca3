/** A mail on its way, and what can become of it. */
import type { Content, Facts } from './content.ts'

export interface Message {
  /** Stays the same over all attempts, so that receivers can drop doubles. */
  id: string
  to: string
  fromEmail: string
  fromCompany: string
  content: Content
  /** Of the provider, to be filled in with the facts; '' for our own content. */
  templateId: string
  facts?: Facts
}

/** What stands against this mail, in the words of the server or ours; may name the recipient. Any other error is about the way to the server. */
export class Refused extends Error {
  /** It would be refused again: the address does not exist, the receiver wants no such mail. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

export const undeliverable = (message: string): Refused => new Refused(message, true)

const LONGEST_ANSWER = 500

/** What a server said, for the one who looks for the fault. Never a secret, not even one that the server repeats. */
export function answerOf(text: string, secret = ''): string {
  const open = secret === '' ? text : text.replaceAll(secret, '********')
  return open
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_ANSWER)
}
