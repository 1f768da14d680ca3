/** People as lists show them to users, and how a text finds them. */
import type { MentionableUser } from '#contract/comments/mentionable.ts'

/** Returns a person with the fields of a profile, without fields that are empty or not text. */
export const personOf = ({
  userId,
  name,
  photoUrl,
  email,
}: Record<string, unknown> & { userId: string }): MentionableUser => ({
  userId,
  ...texts({ name, photoUrl, email }),
})

const texts = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => typeof text === 'string' && text !== ''))

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Returns whether a word of one of the names begins with the text. Addresses must not be among the names: a user could
 * guess them letter by letter.
 */
export function begins(text: string, names: readonly (string | undefined)[]): boolean {
  const sought = folded(text.trim())
  if (sought === '') return true
  return names.map((name = '') => folded(name)).some((name) => name.startsWith(sought) || name.includes(` ${sought}`))
}
