/** The text of a comment as people read it. */
import { isVisible } from '../event-sentences/names.ts'
import type { CommentRecord } from '../generated/operations.ts'

/** Returns a text with the present names of those whom its comment mentions. Braces without a mention are text. */
export function withNames(text: string, { taggedUserContacts }: Pick<CommentRecord, 'taggedUserContacts'>): string {
  const names = new Map(
    taggedUserContacts.map(({ userId, contact, text: label }) => [
      userId,
      [contact?.name, label?.replace(/^@/, ''), contact?.email].find(isVisible) ?? userId,
    ]),
  )
  return text.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, userId: string) => {
    const name = names.get(userId)
    return name === undefined ? whole : `@${name}`
  })
}
