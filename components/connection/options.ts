/** The options that all elements of a page share unless an element has its own: the server, the token, people, and texts. */
import type { OtherTexts } from '../words/texts.ts'
import type { Person } from './records.ts'

export interface Options {
  /** The address of the server, without `/v2`. */
  url?: string | undefined
  /** The user token, or a function that fetches one. The function is called again when the token is no longer valid. */
  token?: string | (() => string | Promise<string>) | undefined
  /**
   * Returns people who can be mentioned. The elements offer those whose name, address or id has a word that begins with
   * the query. Default: the people who can open the document, as the server lists them, and the people who take part in
   * its threads.
   */
  people?:
    | ((query: string, of: { organizationId: string; documentId: string }) => Person[] | Promise<Person[]>)
    | undefined
  /** Texts in other words, or another language. */
  texts?: OtherTexts | undefined
  /** How often to look for changes where the server cannot be followed live. Default: 15. */
  pollSeconds?: number | undefined
}

let shared: Options = {}
const elements = new Set<() => void>()

/** Sets options for all elements of the page, also for those that are already there. */
export function configure(options: Options): void {
  shared = { ...shared, ...options }
  for (const changed of elements) changed()
}

export const sharedOptions = (): Options => shared

/** Calls `changed` after each `configure`, until the returned function is called. */
export function onConfigured(changed: () => void): () => void {
  elements.add(changed)
  return () => elements.delete(changed)
}
