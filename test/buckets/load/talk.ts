/** Adds threads that mention somebody, in a load: the inbox must have each once, and pages that follow the live stream must receive it. */
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

/** The items that a page has received since it last had to load everything. */
interface Page {
  url: string
  threads: Set<string>
  notifications: Set<string>
  /** The number of threads that existed, or were being written, when it loaded everything. */
  loaded: number
  /** The items that its stream sent, with times. */
  received: string[]
}

export class Talk {
  readonly #calls: Calls
  readonly #urls: readonly string[]
  readonly #stop = new AbortController()
  readonly #pages: Page[] = []
  readonly #following: Promise<unknown>[] = []
  readonly threads: string[] = []
  /** Includes the thread that is being written. */
  #begun = 0
  /** The number of times that a page had to load everything again. */
  resets = 0

  /** `urls` are the addresses of the servers; one page follows each of them. */
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
    const { wrong } = this.#calls.findings
    await until('streams', () => wrong.length > 0 || this.#pages.every(({ loaded }) => loaded >= 0))
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  }

  async #follow(url: string, userToken: string): Promise<void> {
    const page: Page = { url, threads: new Set(), notifications: new Set(), loaded: -1, received: [] }
    this.#pages.push(page)
    const followed = { organizationId, documentIds: [documentId], inbox: true }
    const options = { signal: this.#stop.signal }
    try {
      for await (const { event, data } of createUserClient({ url, userToken }).live(followed, options)) {
        page.received.push(`${new Date().toISOString()} ${event} ${JSON.stringify(data).slice(0, 200)}`)
        if (event === 'thread') page.threads.add(data.annotationId)
        if (event === 'inbox') for (const id of data.notificationIds) page.notifications.add(id)
        if (event === 'ready' && page.loaded < 0) page.loaded = 0
        if (event !== 'reset') continue
        this.resets++
        page.loaded = this.#begun
      }
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#calls.findings.add(`the stream of ${url}: ${error}`, undefined, page.received.slice(-5))
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
    this.#begun++
    await this.#calls.insist(addThreads, {
      organizationId,
      documentId,
      commentAnnotations: [{ annotationId, commentData: [root] }],
    })
    this.threads.push(annotationId)
  }

  /** Reads the inbox, and waits until the pages have received every thread that was written since they loaded everything. */
  async verify(): Promise<void> {
    const { findings } = this.#calls
    const threadOf = new Map<string, string>()
    for (let pageToken: string | undefined, hasMore = true; hasMore; ) {
      const data = { organizationId, userId: READER, pageSize: 100, ...(pageToken && { pageToken }) }
      const answer = await this.#calls.attempt(this.#calls.client, getNotifications.path, data)
      if (answer === undefined) continue
      const { body, http, text } = answer
      if (http !== 200) throw new Error(text)
      for (const { id, targetAnnotationId } of body.result.data) {
        if (threadOf.has(id)) findings.add(`the notification ${id} is in the inbox twice`, targetAnnotationId)
        threadOf.set(id, targetAnnotationId)
      }
      pageToken = body.result.pageToken ?? body.result.nextPageToken
      hasMore = pageToken !== undefined
    }
    const named = [...threadOf.values()]
    const [missing, others] = [new Set(this.threads).difference(new Set(named)), named.length - this.threads.length]
    if (missing.size > 0 || others !== 0)
      findings.add(`${named.length} notifications of ${this.threads.length} threads: ${[...missing]}`, [...missing][0])
    const lacks = ({ threads, notifications, loaded }: Page) => {
      const notified = new Set([...notifications].map((id) => threadOf.get(id)))
      const left = this.threads.slice(loaded)
      return [left.filter((id) => !threads.has(id)), left.filter((id) => !notified.has(id))] as const
    }
    const isAtEnd = (page: Page) => lacks(page).every(({ length }) => length === 0)
    await until('the streams to be at the end', () => this.#pages.every(isAtEnd)).catch(() => {})
    for (const page of this.#pages.filter((one) => !isAtEnd(one))) {
      const [threads, notifications] = lacks(page)
      const about = threads[0] ?? notifications[0]
      findings.add(
        `the stream of ${page.url} lacks the threads ${threads}, and notifications of ${notifications}`,
        about,
        [`loaded with ${page.loaded} of ${this.threads.length} threads`, ...page.received.slice(-100)],
      )
    }
    this.#stop.abort()
    await Promise.all(this.#following)
  }
}
