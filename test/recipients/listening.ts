/**
 * A world of comments while one of its users listens: an open stream, which is resumed after a part of the steps, and
 * an address that gets mails. Returns everything that was sent to the user, without values that differ between equal
 * worlds.
 */
import { addThreads } from '#contract/comments/threads.ts'
import { addNotification } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { until } from '#testing/eventually.ts'
import { type LivePage, openLivePage } from '#testing/live-stream.ts'
import type { ReceivedMail } from '#testing/stand-ins/mail-server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { decide } from '../matrix/interpreter.ts'
import { buildWorld, otherOf, type World } from './contents.ts'
import { isVisible } from './interpreter.ts'
import { hurry, type Listening, waiting, withoutAddresses } from './mails.ts'
import { withoutGenerated } from './readings.ts'
import { take } from './steps.ts'
import { USERS, type WorldSpec } from './worlds.ts'
import { marking } from './worlds-without-secrets.ts'

export interface Heard {
  world: World
  reader: string
  /** The threads that the reader never saw. */
  unseen: ReadonlySet<string>
  /** The items that the stream sent in each step, and the documents that it reported as open at the end. */
  streamed: string[]
  mails: ReceivedMail[]
}

const DOCUMENT_IDS = ['d0', 'd1']
/** A document that everybody can open. A comment on it arrives after everything that was written before. */
const MARKED = 'marked'
const MARK = 'mark'

/** Builds a world while the user with number `nth` listens. Steps about `secret` threads are left out. */
export async function listen(
  { server, post, key, collecting }: Listening,
  { id, spec, nth, secret = new Set() }: { id: string; spec: WorldSpec; nth: number; secret?: ReadonlySet<string> },
): Promise<Heard> {
  const client = marking(key, secret)
  const [organizationId, reader] = [id, `${id}-u${nth % USERS}`]
  const stream = organizationKey({ apiKeyId: apiKeyOf(key) as never }, organizationId)
  const addressOf = (userId: string) => `${userId}@${apiKeyOf(key).replaceAll('_', '-')}.example`.toLowerCase()
  await key.call(addOrganizations, { organizations: [{ organizationId }, { organizationId: otherOf(id) }] })
  await key.call(addDocuments, { organizationId, documents: [{ documentId: MARKED, accessType: 'public' }] })
  const users = Array.from({ length: USERS }, (_, number) => `${id}-u${number}`)
  await key.call(setProfiles, { users: users.map((userId) => ({ userId, email: addressOf(userId) })) })
  if (collecting === 'daily')
    await key.call(setNotificationPreferences, { organizationId, userIds: [reader], config: { email: 'DIGEST' } })
  const from = { userId: 'app' }
  const marked = { organizationId, documentId: MARKED }

  const { token } = await key.call(generateToken, { userId: reader })
  const open = (headers?: Record<string, string>) =>
    openLivePage(server.url, token, { organizationId, documentIds: [...DOCUMENT_IDS, MARKED], inbox: true }, headers)
  let page = await open()
  let heardBefore = 0
  const streamed: string[] = []
  const lastOf = new Map<string, string>()
  const notifications = new Map<string, string>()
  const states: boolean[][] = []
  let marks = 0

  /** Waits until the stream and the mails have everything that was written. */
  async function settle(world?: World): Promise<void> {
    const mark = `${MARK}-${++marks}`
    const thread = { annotationId: mark, commentData: [{ commentText: '', from }] }
    await key.call(addThreads, { ...marked, commentAnnotations: [thread] })
    const texts = { displayHeadlineMessageTemplate: '', displayBodyMessage: '' }
    const notifyUsers = [{ userId: reader }]
    const note = { notificationId: mark, ...texts, actionUser: from, notifyAll: false, notifyUsers }
    await key.call(addNotification, { ...marked, ...note })
    await until(mark, () => page.isEnded || page.http !== 200 || hasMark(page, mark))
    await until('all mails', async () => (await waiting({ server, stream })) === 0)
    const { rows } = await server.db.query(
      'select notification_id as id, target_annotation_id as thread, target_comment_id as comment from notifications where organization_key = $1',
      [stream],
    )
    for (const row of rows as { id: string; thread: string; comment: string }[])
      notifications.set(row.id, `${row.thread}/${row.comment}`)
    const events = page.events.slice(heardBefore)
    heardBefore = page.events.length
    const lines = events.flatMap(({ event, data }) => {
      if (event === 'ready' || event === 'document' || data.documentId === MARKED) return []
      if (event !== 'inbox') {
        // An item can arrive twice.
        const line = `${event} ${withoutAddresses(withoutGenerated(data))}`
        const isRepeated = lastOf.get(data.annotationId) === line
        lastOf.set(data.annotationId, line)
        return isRepeated ? [] : [line]
      }
      return (data.notificationIds as string[])
        .filter((each) => !each.startsWith(MARK))
        .map((each) => `inbox ${notifications.get(each) ?? 'unknown'}`)
    })
    streamed.push(...[...new Set(lines)].sort().map((line) => `${states.length}: ${line}`))
    if (world !== undefined) states.push(DOCUMENT_IDS.map((documentId) => isOpen(world, documentId, reader)))
  }

  const seen = new Set<string>()
  const look = ({ threads, ...world }: World) => {
    for (const thread of threads)
      if (isVisible(thread, reader, Date.now() / 1000) && isOpen(world, thread.document.id, reader)) seen.add(thread.id)
  }
  const world = await buildWorld(client, id, spec)
  look(world)
  await settle(world)
  const steps = spec.steps.filter((step) => step.do !== 'read notification')
  const away = steps.length > 1 ? nth % steps.length : -1
  for (const [index, step] of steps.entries()) {
    if (index === away) page.close()
    await take(world, step)
    look(world)
    if (index === away) continue
    if (index === away + 1 && away >= 0) {
      page = await open({ 'last-event-id': page.lastId })
      heardBefore = 0
      streamed.push(`resumed: ${page.http}`)
    }
    await settle(world)
  }
  if (away === steps.length - 1) {
    page = await open({ 'last-event-id': page.lastId })
    heardBefore = 0
    await settle(world)
  }
  const wanted = JSON.stringify([...DOCUMENT_IDS.map((documentId) => isOpen(world, documentId, reader)), true])
  await until('the documents that are open', () => page.isEnded || page.http !== 200 || openIn(page) === wanted)
  await hurry({ server, stream })
  await until('all mails', async () => (await waiting({ server, stream })) === 0)
  const threadIds = Array.from({ length: world.threadsMade }, (_, number) => `t${number}`)
  const wasReopened = DOCUMENT_IDS.some((_, place) =>
    states.some((state, at) => at > 0 && state[place] && !states[at - 1]?.[place]),
  )
  page.close()
  return {
    world,
    reader,
    unseen: new Set(threadIds.filter((threadId) => !seen.has(threadId))),
    // Whether a page learns of a deletion depends on when it learned that the document is open again.
    streamed: wasReopened ? streamed.filter((line) => !line.includes('"thread":null')) : streamed,
    mails: post.mails.filter(({ recipients }) => recipients.includes(addressOf(reader))),
  }
}

const isOpen = ({ documents, key }: Pick<World, 'documents' | 'key'>, documentId: string, userId: string): boolean => {
  const document = documents.find(({ id }) => id === documentId)
  return document !== undefined && decide(document, userId, Date.now() / 1000, key).allowed
}

/** Whether a page has the thread of a mark, in a finished round, and its notification. */
function hasMark({ events, ids }: LivePage, mark: string): boolean {
  const ofThread = events.find(({ event, data }) => event === 'thread' && data.annotationId === mark)
  return (
    ofThread !== undefined &&
    ids > ofThread.idsBefore &&
    events.some(({ event, data }) => event === 'inbox' && data.notificationIds.includes(mark))
  )
}

/** The documents that a page considers open. */
function openIn({ events }: LivePage): string {
  const open: Record<string, boolean> = {}
  for (const { event, data } of events)
    if (event === 'ready') Object.assign(open, data.documents)
    else if (event === 'document') open[data.documentId] = data.open
  return JSON.stringify([...DOCUMENT_IDS, MARKED].map((documentId) => open[documentId] ?? false))
}
