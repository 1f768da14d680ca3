/** The people who can be mentioned: those who can open the document. */
import type { Connection } from '../connection/connection.ts'
import type { Options } from '../connection/options.ts'
import { type DocumentName, nameOf, type Person, type Thread } from '../connection/records.ts'
import type { ThreadStore } from './threads.ts'

/** Returns the people of threads: who wrote in them, and who is mentioned. */
function peopleOf(threads: readonly Thread[]): Person[] {
  const people = new Map<string, Person>()
  for (const { comments } of threads)
    for (const { from, taggedUserContacts } of comments)
      for (const person of [from, ...taggedUserContacts.map(({ userId, contact }) => ({ ...contact, userId }))])
        people.set(person.userId, { ...people.get(person.userId), ...person })
  return [...people.values()]
}

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Returns whether a word of a name, an address or an id begins with what was typed. */
function matches(person: Person, query: string): boolean {
  const sought = folded(query)
  return [person.name, person.email, person.userId].some((text) => {
    const one = folded(text ?? '')
    return one.startsWith(sought) || one.includes(` ${sought}`)
  })
}

/** How many people are asked for: more than are offered, because those who take part in the threads are among them too. */
const ASKED_MAX = 20

/** Sorts people by name, with the author last: people seldom mention themselves. */
const inOrder = (author: Person | undefined) => (one: Person, other: Person) =>
  Number(one.userId === author?.userId) - Number(other.userId === author?.userId) ||
  nameOf(one).localeCompare(nameOf(other))

/** The threads of the document and the user of the page, who can be known without a call. */
type Known = Pick<ThreadStore, 'threads' | 'user'>

/**
 * Returns a function that finds people: with the function of the page, or else among the people whom the server lists
 * and those who take part in the threads, who may have no grant if the document is public.
 */
export function finder(
  connection: Connection,
  people: () => Options['people'],
  document: DocumentName,
  store: Known,
): (query: string) => Promise<Person[]> {
  const listed = (text: string) =>
    connection.call<Person[]>('commentannotations/mentionable/list', { ...document, text, pageSize: ASKED_MAX })
  const known = async (query: string) => {
    const all = [...peopleOf(store.threads), ...(await listed(query).catch(() => []))]
    return [...new Map(all.map((person) => [person.userId, person])).values()]
  }
  return async (query) => {
    const ask = people()
    const found = await (ask === undefined ? known(query) : ask(query, document))
    return found.filter((person) => matches(person, query)).sort(inOrder(store.user))
  }
}
