/** The notifications of a user in an organization: grouped by thread, unread ones counted, marked as read. */
import type { Connection, Page } from '../connection/connection.ts'
import type { Notification } from '../connection/records.ts'

const PAGE_SIZE = 50
const PAGE_SIZE_OF_ALL = 500

/** The notifications of one thread, the newest first; others are alone. */
export interface Group {
  id: string
  newest: Notification
  all: Notification[]
  unread: number
}

export class InboxStore {
  readonly #connection: Connection
  readonly #organizationId: string
  readonly #changed: () => void
  #changes = 0
  #loads = 0
  /** The number of the read whose result is shown. */
  #shown = 0

  groups: Group[] = []
  unread = 0
  /** There are more than those that were read: the count is a minimum. */
  hasMore = false
  isLoaded = false
  error: unknown

  constructor(connection: Connection, organizationId: string, changed: () => void) {
    this.#connection = connection
    this.#organizationId = organizationId
    this.#changed = changed
  }

  async load(): Promise<void> {
    const changes = this.#changes
    const load = ++this.#loads
    try {
      const { data, nextPageToken } = await this.#page(PAGE_SIZE)
      if (changes !== this.#changes || load < this.#shown) return
      this.#shown = load
      this.groups = grouped(data)
      this.unread = data.filter(({ isUnread }) => isUnread).length
      this.hasMore = nextPageToken !== undefined
      this.isLoaded = true
      this.error = undefined
    } catch (error) {
      if (load < this.#shown) return // what was read later says more
      this.error = error
    }
    this.#changed()
  }

  /** Marks the unread notifications of a group as read. They stay listed. */
  markRead({ all }: Group): Promise<void> {
    return this.#change(() => this.#markRead(all))
  }

  /** Marks all notifications as read, including those that are not shown. */
  markAllRead(): Promise<void> {
    return this.#change(async () => {
      let pageToken: string | undefined
      do {
        const page = await this.#page(PAGE_SIZE_OF_ALL, pageToken)
        await this.#markRead(page.data)
        pageToken = page.nextPageToken
      } while (pageToken !== undefined)
    })
  }

  async #page(pageSize: number, pageToken?: string): Promise<Page<Notification[]>> {
    const read = { organizationId: this.#organizationId, pageSize, ...(pageToken && { pageToken }) }
    return this.#connection.page<Notification[]>('notifications/get', read)
  }

  async #markRead(all: readonly Notification[]): Promise<void> {
    const { userId } = await this.#connection.user()
    const organizationId = this.#organizationId
    const notifications = all
      .filter(({ isUnread }) => isUnread)
      .map(({ id }) => ({ id, readByUserIds: [userId], persistReadForUsers: true }))
    if (notifications.length === 0) return
    await this.#connection.call('notifications/update', { organizationId, notifications })
  }

  async #change(change: () => Promise<void>): Promise<void> {
    try {
      await change()
    } finally {
      this.#changes++
    }
    await this.load()
  }
}

function grouped(notifications: readonly Notification[]): Group[] {
  const groups = Map.groupBy(notifications, ({ id, targetAnnotationId, metadata }) =>
    targetAnnotationId === undefined ? id : `${metadata.documentId}:${targetAnnotationId}`,
  )
  return [...groups].flatMap(([id, all]) => {
    const [newest] = all
    return newest === undefined ? [] : [{ id, newest, all, unread: all.filter(({ isUnread }) => isUnread).length }]
  })
}
