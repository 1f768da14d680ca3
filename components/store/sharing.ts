/** The sharing of a document: reads who has access, finds people and groups, previews a change and makes it. */
import { isRefusal } from '../connection/attempts.ts'
import type { Connection, Page } from '../connection/connection.ts'
import type { DocumentName } from '../connection/records.ts'
import type { Outcome, Sharing, Target, Wish } from '../connection/sharing.ts'

const FOUND_MAX = 8

/** What somebody chose. */
interface Chosen {
  wishes: readonly Wish[]
  userId: string | undefined
}

export class SharingStore {
  readonly #connection: Connection
  readonly #document: DocumentName
  sharing: Sharing | undefined
  /** Why the last reading failed. */
  error: unknown
  #next: string | undefined
  #reads = 0
  /** How many pages are shown, and how many were asked for. */
  #pages = 0
  #pagesAsked = 1

  constructor(connection: Connection, document: DocumentName) {
    this.#connection = connection
    this.#document = document
  }

  get hasMore(): boolean {
    return this.#next !== undefined
  }

  get hasOnePage(): boolean {
    return this.#pagesAsked === 1
  }

  /** Forgets what was read, and what is being read. */
  forget(): void {
    this.#reads++
    this.sharing = undefined
    this.error = undefined
    this.#next = undefined
    this.#pagesAsked = 1
  }

  /** Reads the pages that are shown. */
  load(): Promise<void> {
    return this.#read(async () => {
      let { data, nextPageToken } = await this.#page(undefined)
      let pages = 1
      for (; pages < this.#pagesAsked && nextPageToken !== undefined; pages++) {
        const page = await this.#page(nextPageToken)
        data = { ...page.data, entries: [...data.entries, ...page.data.entries] }
        nextPageToken = page.nextPageToken
      }
      return { data, nextPageToken, pages }
    })
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    const next = this.#next
    const entries = this.sharing?.entries ?? []
    const pages = this.#pages + 1
    if (next === undefined) return
    this.#pagesAsked = pages
    await this.#read(async () => {
      const { data, nextPageToken } = await this.#page(next)
      return { data: { ...data, entries: [...entries, ...data.entries] }, nextPageToken, pages }
    })
  }

  /** Keeps what was read, unless something was read later. After a refusal nothing is shown any more. */
  async #read(read: () => Promise<Page<Sharing> & { pages: number }>): Promise<void> {
    const turn = ++this.#reads
    try {
      const { data, nextPageToken, pages } = await read()
      if (turn !== this.#reads) return
      this.sharing = data
      this.#next = nextPageToken
      this.#pages = pages
      this.error = undefined
    } catch (error) {
      if (turn !== this.#reads) return
      if (isRefusal(error)) this.forget()
      this.error = error
    }
  }

  #page(pageToken: string | undefined): Promise<Page<Sharing>> {
    return this.#connection.page('auth/sharing/get', { ...this.#document, ...(pageToken && { pageToken }) })
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

  preview(chosen: Chosen): Promise<Outcome> {
    return this.#connection.call<Outcome>('auth/sharing/update', { ...this.#asked(chosen), dryRun: true })
  }

  /** Makes the change once for each `key`. `allowLosingOwnAccess`: they have seen what they lose. */
  apply(chosen: Chosen, { key, allowLosingOwnAccess }: { key: string; allowLosingOwnAccess: boolean }) {
    return this.#connection.call<Outcome>('auth/sharing/update', { ...this.#asked(chosen), allowLosingOwnAccess }, key)
  }

  #asked({ wishes, userId }: Chosen): object {
    const nameOf = ({ userId, groupId }: Target) => (groupId === undefined ? { userId } : { groupId })
    return {
      ...this.#document,
      ...(userId !== undefined && { userId }),
      grants: wishes.flatMap(({ target, accessRole, expiresAt }) =>
        accessRole === undefined ? [] : [{ ...nameOf(target), accessRole, ...(expiresAt && { expiresAt }) }],
      ),
      removals: wishes.flatMap(({ target, accessRole }) => (accessRole === undefined ? [nameOf(target)] : [])),
    }
  }
}
