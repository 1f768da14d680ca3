/** The sharing of a document: reads who has access, finds people and groups, previews a change and makes it. */
import type { Connection } from '../connection/connection.ts'
import type { Outcome, Sharing, Target, Wish } from '../connection/sharing.ts'
import type { DocumentName } from './threads.ts'

const FOUND_MAX = 8

export class SharingStore {
  readonly #connection: Connection
  readonly #document: DocumentName
  sharing: Sharing | undefined
  #next: string | undefined

  constructor(connection: Connection, document: DocumentName) {
    this.#connection = connection
    this.#document = document
  }

  get hasMore(): boolean {
    return this.#next !== undefined
  }

  /** Reads the first page. */
  async load(): Promise<void> {
    const { data, nextPageToken } = await this.#connection.page<Sharing>('auth/sharing/get', this.#document)
    this.sharing = data
    this.#next = nextPageToken
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    const { sharing } = this
    if (sharing === undefined || this.#next === undefined) return
    const data = { ...this.#document, pageToken: this.#next }
    const page = await this.#connection.page<Sharing>('auth/sharing/get', data)
    this.sharing = { ...page.data, entries: [...sharing.entries, ...page.data.entries] }
    this.#next = page.nextPageToken
  }

  /** Returns people and groups with a word that begins with the text. */
  async find(text: string): Promise<Target[]> {
    const found: Target[] = []
    let pageToken: string | undefined
    do {
      const data = { ...this.#document, text, ...(pageToken && { pageToken }) }
      const page = await this.#connection.page<Target[]>('auth/sharing/targets/list', data)
      found.push(...page.data)
      pageToken = page.nextPageToken
    } while (pageToken !== undefined && found.length < FOUND_MAX)
    return found
  }

  preview(wishes: readonly Wish[]): Promise<Outcome> {
    return this.#connection.call<Outcome>('auth/sharing/update', { ...this.#asked(wishes), dryRun: true })
  }

  /** Makes the change once for each `key`. `allowLosingOwnAccess`: whoever makes it was told what they lose. */
  apply(wishes: readonly Wish[], { key, allowLosingOwnAccess }: { key: string; allowLosingOwnAccess: boolean }) {
    return this.#connection.call<Outcome>('auth/sharing/update', { ...this.#asked(wishes), allowLosingOwnAccess }, key)
  }

  #asked(wishes: readonly Wish[]): object {
    const nameOf = ({ userId, groupId }: Target) => (groupId === undefined ? { userId } : { groupId })
    return {
      ...this.#document,
      grants: wishes.flatMap(({ target, accessRole, expiresAt }) =>
        accessRole === undefined ? [] : [{ ...nameOf(target), accessRole, ...(expiresAt && { expiresAt }) }],
      ),
      removals: wishes.flatMap(({ target, accessRole }) => (accessRole === undefined ? [nameOf(target)] : [])),
    }
  }
}
