/** Mentions in texts: `{{userId}}` as it is stored, `@Name` as people see and write it, and links. */
import type { Comment, Mention, Person } from '../connection/records.ts'
import { isVisible, nameOf, webAddress } from '../connection/records.ts'
import { textOfHtml } from './html-text.ts'

/** A part of a text: itself, somebody who is mentioned, or an address of the web. */
export type Part = string | { mention: string } | { link: string; shown: string }

const MENTION = /\{\{([^{}]+)\}\}/g
const LINK = /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g

const labels = (mentions: readonly Mention[]): Map<string, string> =>
  new Map(
    mentions.map(({ userId, contact, text }) => [
      userId,
      [contact.name, text?.replace(/^@/, '')].find(isVisible) ?? nameOf({ ...contact, userId }),
    ]),
  )

/** Returns the text of a comment; of one that has only HTML, its text. Nothing of it becomes markup. */
export const textOf = ({ commentText, commentHtml = '' }: Pick<Comment, 'commentText' | 'commentHtml'>): string =>
  commentText === '' ? textOfHtml(commentHtml) : commentText

/** Splits a text where people are mentioned and where addresses stand. Braces without a mentioned person are text. */
export function partsOf(text: string, mentions: readonly Mention[]): Part[] {
  const names = labels(mentions)
  return split(text, MENTION, ([whole, userId = '']) => {
    const mention = names.get(userId)
    return mention === undefined ? whole : { mention }
  }).flatMap((part) =>
    typeof part === 'string'
      ? split(part, LINK, ([shown]) => {
          const link = webAddress(shown)
          return link === undefined ? shown : { link, shown }
        })
      : [part],
  )
}

function split(text: string, pattern: RegExp, partOf: (match: RegExpMatchArray) => Part): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), partOf(match))
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return parts.filter((part) => part !== '')
}

/** People whom a text being written mentions, by what stands for them after the `@`. */
export type Chosen = Map<string, Person>

/** Returns a stored text as somebody edits it. */
export function toWritten(text: string, mentions: readonly Mention[]): { text: string; chosen: Chosen } {
  const chosen: Chosen = new Map()
  const contacts = new Map(mentions.map(({ userId, contact }) => [userId, { ...contact, userId }]))
  const written = text.replaceAll(MENTION, (whole, userId: string) => {
    const person = contacts.get(userId)
    return person === undefined ? whole : `@${labelFor(person, chosen)}`
  })
  return { text: written, chosen }
}

/** Characters that would end a line, or reverse the text after them. */
const DISTURBING = /[\p{Cc}\p{Bidi_Control}]/gu

/** Chooses the text that stands for a person, different from the texts for others in the same comment. */
export function labelFor(person: Person, chosen: Chosen): string {
  // Spaces at its end would be lost with those at the end of the comment.
  const name = nameOf(person).replaceAll(DISTURBING, '').trim()
  const label = [name, `${name} (${person.userId})`].find(
    (one) => (chosen.get(one) ?? person).userId === person.userId,
  ) as string
  chosen.set(label, person)
  return label
}

const escaped = (label: string): string => label.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns a written text as it is stored, with those whom it still mentions. */
export function toStored(text: string, chosen: Chosen): { commentText: string; taggedUserContacts: Mention[] } {
  const mentioned = new Map<string, Mention>()
  const longestFirst = [...chosen.keys()].sort((one, other) => other.length - one.length)
  if (longestFirst.length === 0) return { commentText: text, taggedUserContacts: [] }
  const pattern = new RegExp(`@(${longestFirst.map(escaped).join('|')})`, 'gu')
  const commentText = text.replaceAll(pattern, (whole, label: string) => {
    const person = chosen.get(label)
    if (person === undefined) return whole
    const { userId, name } = person
    mentioned.set(userId, { userId, contact: { userId, ...(name && { name }) }, text: `@${label}` })
    return `{{${userId}}}`
  })
  return { commentText, taggedUserContacts: [...mentioned.values()] }
}
