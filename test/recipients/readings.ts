/** Makes every call that a user token may make, like a user who searches for hidden threads: with all ids that have ever existed. */
import { getThreads } from '#contract/comments/threads.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { runSearch } from '#contract/resources/search.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import type { Answer, Client } from '#testing/client.ts'
import type { World } from './contents.ts'
import { markerOf, type WorldPair } from './worlds-without-secrets.ts'

export interface Known {
  organizationId: string
  userId: string
  threadIds: readonly string[]
  /** Notifications of secret threads; the other notifications have ids of their own in each world. */
  notificationIds: readonly string[]
}

type Requests = (known: Known) => object[]

export const DOCUMENT_IDS = ['d0', 'd1']
const onDocuments = (organizationId: string, fields: object = {}) =>
  DOCUMENT_IDS.map((documentId) => ({ organizationId, documentId, ...fields }))
const onThreads = ({ organizationId, threadIds }: Known, fields: object = {}) =>
  threadIds.flatMap((annotationId) => onDocuments(organizationId, { annotationId, ...fields }))

/** A request with a page of one item is repeated for every page. */
const ONE = { pageSize: 1 }

/** The requests, by the names of the operations that accept a user token. */
const READS: Record<string, Requests> = {
  'threads.get': ({ organizationId, threadIds, userId }) => [
    ...onDocuments(organizationId),
    ...onDocuments(organizationId, ONE),
    { organizationId, documentIds: DOCUMENT_IDS, order: 'asc' },
    { organizationId, documentIds: DOCUMENT_IDS, annotationIds: threadIds },
    { organizationId, documentIds: DOCUMENT_IDS, mentionedUserIds: [userId] },
    { organizationId, documentIds: DOCUMENT_IDS, groupByDocumentId: true },
    ...['word', ...threadIds.map(markerOf)].map((text) => ({ organizationId, documentIds: DOCUMENT_IDS, text })),
  ],
  'threads.count': ({ organizationId }) => [{ organizationId, documentIds: DOCUMENT_IDS }],
  'comments.get': (known) => onThreads(known),
  'mentionable-users.list': ({ organizationId }) => onDocuments(organizationId),
  'permissions.get': ({ organizationId, userId }) => [{ organizationId, userIds: [userId], documentIds: DOCUMENT_IDS }],
  'permissions.check': ({ organizationId }) => [
    { checks: DOCUMENT_IDS.map((id) => ({ resource: { type: 'document', id, organizationId } })) },
  ],
  'sharing.get': ({ organizationId }) => onDocuments(organizationId),
  'sharing-targets.list': ({ organizationId }) => onDocuments(organizationId),
  'activities.get': ({ organizationId, threadIds, userId }) => [
    ...onDocuments(organizationId),
    ...onDocuments(organizationId, ONE),
    ...onDocuments(organizationId, { userId }),
    ...onDocuments(organizationId, { activityIds: threadIds.flatMap((id) => [`early-${id}`, `late-${id}`]) }),
    ...threadIds.flatMap((targetEntityId) => onDocuments(organizationId, { targetEntityId })),
  ],
  'notifications.get': ({ organizationId, notificationIds }) => [
    { organizationId },
    { organizationId, ...ONE },
    ...onDocuments(organizationId),
    ...(notificationIds.length > 0 ? [{ organizationId, notificationIds }] : []),
  ],
  'notification-preferences.get': ({ organizationId }) => [{ organizationId }],
  'search.find': ({ organizationId, threadIds }) => [
    { query: 'word', organizationId, ...ONE },
    ...threadIds.map((id) => ({ query: markerOf(id), organizationId, ...ONE })),
  ],
}

/** Requests that change something, which are made after all reads. */
const WRITES: Record<string, Requests> = {
  'notification-preferences.set': ({ organizationId }) =>
    onDocuments(organizationId).map(({ documentId }) => ({
      organizationId,
      documentIds: [documentId],
      config: { email: 'ALL' },
    })),
  'notifications.update': ({ organizationId, notificationIds }) =>
    notificationIds.map((id) => ({ organizationId, notifications: [{ id }] })),
  'thread-subscriptions.set': ({ organizationId, threadIds: annotationIds }) =>
    onDocuments(organizationId, { annotationIds, subscription: 'subscribed' }),
  'threads.read': ({ organizationId, threadIds: annotationIds }) => onDocuments(organizationId, { annotationIds }),
  'threads.add': ({ organizationId }) =>
    onDocuments(organizationId, { commentAnnotations: [{ commentData: [{ commentId: 1, commentText: 'new' }] }] }),
  'threads.update': ({ organizationId, threadIds: annotationIds }) => [
    ...onDocuments(organizationId, { annotationIds, updatedData: { location: { id: 'x' } } }),
    ...onDocuments(organizationId, { updatedData: { location: { id: 'y' } } }),
  ],
  'comments.add': (known) => onThreads(known, { commentData: [{ commentId: 900, commentText: 'new' }] }),
  'comments.update': (known) => onThreads(known, { commentIds: [1], updatedData: { commentText: 'changed' } }),
  'comments.delete': (known) => onThreads(known, { commentIds: [1] }),
  'sharing.update': ({ organizationId }) => onDocuments(organizationId, { grants: [], dryRun: true }),
  'threads.delete': ({ organizationId, threadIds: annotationIds }) => onDocuments(organizationId, { annotationIds }),
}

/** The operations that accept a user token and are missing here, and those here that do not accept one. */
export const difference = (): string[] => {
  const taking = OPERATIONS.flatMap(({ name, userToken }) => (userToken ? [name] : []))
  const named = Object.keys({ ...READS, ...WRITES })
  return [...taking.filter((name) => !named.includes(name)), ...named.filter((name) => !taking.includes(name))]
}

const PATHS = new Map(OPERATIONS.map(({ name, path }) => [name, path]))

/** Returns all answers to the reader of a pair, in the whole world and in the one without the secret threads, each as a line of text. */
export async function readWorldPair(
  { whole, without, reader, secret }: WorldPair,
  {
    alsoWrites = true,
    programs = async () => [],
  }: { alsoWrites?: boolean; programs?: (key: Client, known: Known) => Promise<string[]> } = {},
): Promise<[string[], string[]]> {
  const organizationId = whole.organization.id
  const threadIds = Array.from({ length: whole.threadsMade }, (_, number) => `t${number}`)
  const documents = await Promise.all(
    DOCUMENT_IDS.map((documentId) => whole.client.post(getNotifications.path, { organizationId, documentId })),
  )
  const notificationIds = documents.flatMap(({ body }) =>
    (body.result?.data ?? []).flatMap(({ id, targetAnnotationId }: { id: string; targetAnnotationId: string }) =>
      secret.has(targetAnnotationId) ? [id] : [],
    ),
  )
  const known = { organizationId, userId: reader, threadIds, notificationIds: notificationIds.slice(0, 30) }
  const read = async ({ client }: World) => [
    ...(await programs(client, known)),
    ...(await readAll(client, known, { alsoWrites })),
  ]
  return Promise.all([read(whole), read(without)])
}

/** Returns all answers to a user, each as a line of text. */
export async function readAll(key: Client, known: Known, { alsoWrites = false } = {}): Promise<string[]> {
  const { userId, organizationId } = known
  const requests = { ...READS, ...(alsoWrites && WRITES) }
  const { token } = await key.call(generateToken, { userId })
  const user = key.with({ authorization: `Bearer ${token}` })
  const lines: string[] = []
  /** The calls with which an app reads for the user with its auth token. */
  for (const [path, data] of [
    [runSearch.path, { query: 'word', userId, organizationId, ...ONE }],
    [getNotifications.path, { organizationId, userId }],
  ] as const)
    lines.push(...(await pagesOf(key, path, data)))
  for (const [name, of] of Object.entries(requests))
    for (const data of of(known)) lines.push(...(await pagesOf(user, PATHS.get(name) ?? '', data)))
  return lines
}

const PAGES_MAX = 40

async function pagesOf(client: Client, path: string, data: object): Promise<string[]> {
  const lines: string[] = []
  for (let pageToken: string | undefined; lines.length < PAGES_MAX; ) {
    const answer = await client.post(path, { ...data, ...(pageToken && { pageToken }) })
    lines.push(`${path} ${JSON.stringify(data)} → ${answer.http} ${textOf(path, answer)}`)
    pageToken = answer.body.result?.nextPageToken
    if (pageToken === undefined) break
  }
  return path === getThreads.path ? lines : lines.map((line) => line.replaceAll(TOKEN, '')).sort()
}

const TOKEN = /,"(nextPageToken|pageToken)":"token"/g

/** Values that differ between equal worlds: times, assigned ids, the key, and the secrets of page tokens. */
const OF_EACH_CALL = new Set(['requestId', 'apiKey', 'timestamp', 'createdAt', 'lastUpdated', 'avatarUrl'])
const GENERATED = /"(\d{16}|-[-\w]{19})"/g

export const withoutGenerated = (value: unknown): string =>
  JSON.stringify(value, (name, each) => (OF_EACH_CALL.has(name) ? undefined : each)).replaceAll(GENERATED, '')
export const byText = (one: unknown, other: unknown) => (withoutGenerated(one) < withoutGenerated(other) ? -1 : 1)

/** Threads are in the order of their changes. Items that one call has written, and results of a search, are in the order of random ids. */
function textOf(path: string, { body }: Answer): string {
  const shown = (name: string, value: unknown): unknown => {
    if (OF_EACH_CALL.has(name)) return undefined
    if (name === 'data' && Array.isArray(value) && path !== getThreads.path) return value.toSorted(byText)
    return name === 'nextPageToken' || name === 'pageToken' ? 'token' : value
  }
  return JSON.stringify(body, shown).replaceAll(GENERATED, '"generated"')
}
