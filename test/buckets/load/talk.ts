/** Threads that mention somebody, in a load: each is once in the inbox, and pages that follow the live stream receive it. */
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createUserClient } from '#sdk/index.ts'
import { until } from '#testing/eventually.ts'
import type { Calls } from './calls.ts'

const organizationId = 'talking'
const documentId = 'roadmap'
const READER = 'kim'

/** What a page has received since it last had to load everything. */
interface Page {
  threads: Set<string>
  notifications: Set<string>
  /** How many threads there were when it loaded everything. */
  loaded: number
}

export class Talk {
  readonly #calls: Calls
  readonly #urls: readonly string[]
  readonly #stop = new AbortController()
  readonly #pages: Page[] = []
  readonly #following: Promise<unknown>[] = []
  readonly threads: string[] = []
  /** How often a page had to load everything again. */
  resets = 0

  /** `urls`: those of the servers; a page follows through each. */
  constructor(calls: Calls, urls: readonly string[]) {
    this.#calls = calls
    this.#urls = urls
  }

  async prepare(): Promise<void> {
    await this.#calls.insist(updateNotificationConfig, { useNotificationService: true })
    await this.#calls.insist(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId }] })
    for (const userId of ['ada', READER]) {
      const resources = [{ type: 'document' as const, id: documentId, organizationId, accessRole: 'editor' as const }]
      await this.#calls.insist(addPermissions, { user: { userId }, permissions: { resources } })
    }
    const generated = await this.#calls.insist(generateToken, { userId: READER }, false)
    for (const url of this.#urls) this.#following.push(this.#follow(url, generated?.token ?? ''))
    const { wrong } = this.#calls
    await until('streams', () => wrong.length > 0 || this.#pages.every(({ loaded }) => loaded >= 0))
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  }

  async #follow(url: string, userToken: string): Promise<void> {
    const page: Page = { threads: new Set(), notifications: new Set(), loaded: -1 }
    this.#pages.push(page)
    const followed = { organizationId, documentIds: [documentId], inbox: true }
    const options = { signal: this.#stop.signal }
    try {
      for await (const { event, data } of createUserClient({ url, userToken }).live(followed, options)) {
        if (event === 'thread') page.threads.add(data.annotationId)
        if (event === 'inbox') for (const id of data.notificationIds) page.notifications.add(id)
        if (event === 'ready' && page.loaded < 0) page.loaded = 0
        if (event !== 'reset') continue
        this.resets++
        page.loaded = this.threads.length
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#calls.wrong.push(`the stream of ${url}: ${error}`)
    }
  }

  async write(turn: number): Promise<void> {
    const annotationId = `thread-${turn}`
    const contact = { userId: READER, contact: { userId: READER, name: 'Kim' } }
    const root = {
      from: { userId: 'ada', name: 'Ada' },
      commentText: `Look, {{${READER}}}`,
      taggedUserContacts: [contact],
      triggerNotification: true,
    }
    await this.#calls.insist(addThreads, {
      organizationId,
      documentId,
      commentAnnotations: [{ annotationId, commentData: [root] }],
    })
    this.threads.push(annotationId)
  }

  /** Reads the inbox, and waits until the pages have received all that was written since they loaded everything. */
  async verify(): Promise<void> {
    const { wrong } = this.#calls
    const named: string[] = []
    const ids: string[] = []
    for (let pageToken: string | undefined, hasMore = true; hasMore; hasMore = pageToken !== undefined) {
      const data = { organizationId, userId: READER, pageSize: 100, ...(pageToken && { pageToken }) }
      const { body, http, text } = await this.#calls.client.post(getNotifications.path, data)
      if (http !== 200) throw new Error(text)
      for (const one of body.result.data) {
        ids.push(one.id)
        named.push(one.targetAnnotationId)
      }
      pageToken = body.result.pageToken ?? body.result.nextPageToken
    }
    if (new Set(ids).size !== ids.length) wrong.push('a notification is in the inbox twice')
    if (named.toSorted().join() !== this.threads.toSorted().join())
      wrong.push(`${named.length} notifications of ${this.threads.length} threads: ${named.slice(0, 5)}`)
    const missing = ({ threads, loaded }: Page) => this.threads.slice(loaded).filter((id) => !threads.has(id))
    await until('the streams to be at the end', () => this.#pages.every((page) => missing(page).length === 0)).catch(
      () => {},
    )
    for (const page of this.#pages) {
      if (missing(page).length > 0) wrong.push(`a stream lacks ${missing(page).length} threads: ${missing(page)}`)
      const unread = ids.length - page.notifications.size - page.loaded
      if (unread > 0) wrong.push(`a stream lacks ${unread} notifications`)
    }
    this.#stop.abort()
    await Promise.all(this.#following)
  }
}
