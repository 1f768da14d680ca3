/** Who is signed in. YOUR SESSION HERE. */
import type { IncomingMessage } from 'node:http'

export const PEOPLE = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.com', accessRole: 'editor' },
  bob: { name: 'Bob Noyce', email: 'bob@example.com', accessRole: 'commenter' },
  cyd: { name: 'Cyd Charisse', email: 'cyd@example.com', accessRole: 'commenter' },
} as const

/**
 * Returns the id of the signed-in user, or undefined. This stand-in believes a cookie, so anybody can be anybody: read your
 * session instead, before others can call the app.
 */
export function userOf(request: IncomingMessage): keyof typeof PEOPLE | undefined {
  const [, id = ''] = /(?:^|; )person=(\w+)/.exec(request.headers.cookie ?? '') ?? []
  return Object.hasOwn(PEOPLE, id) ? (id as keyof typeof PEOPLE) : undefined
}
