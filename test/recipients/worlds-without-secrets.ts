/**
 * Builds a world of comments twice, under two API keys: as it is, and without the threads that are secret from one
 * user. If a secret thread changes any answer to this user, it is revealed.
 */
import { addGrants } from '#contract/access/grants.ts'
import { addActivities } from '#contract/activities/activities.ts'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { decide } from '../matrix/interpreter.ts'
import { buildWorld, otherOf, type World } from './contents.ts'
import { isVisible } from './interpreter.ts'
import { take } from './steps.ts'
import { READ_AT, type WorldSpec } from './worlds.ts'

export interface WorldPair {
  whole: World
  without: World
  reader: string
  secret: ReadonlySet<string>
}

/** The marker of a thread, which each of its texts contains. */
export const markerOf = (threadId: string): string => `marker${threadId}`

type Data = Record<string, unknown>

/**
 * Returns a client that marks every text with its thread, makes every user with a grant an editor, so that they may
 * also write, and leaves out calls about secret threads.
 */
export function marking(client: Client, secret: ReadonlySet<string>): Client {
  const isSecret = (id: unknown) => secret.has(String(id))
  const marked = (comments: readonly Data[], threadId: unknown) =>
    comments.map((one) => ({
      ...one,
      commentText: `${one.commentText} word ${markerOf(String(threadId))}`,
    }))
  const changed = (path: string, data: Data): Data | undefined => {
    if (path === addGrants.path)
      return { ...data, grants: (data.grants as Data[]).map((one) => ({ ...one, accessRole: 'editor' })) }
    if (path === addThreads.path) {
      const threads = (data.commentAnnotations as Data[]).filter(({ annotationId }) => !isSecret(annotationId))
      if (threads.length === 0) return undefined
      const commentAnnotations = threads.map((one) => ({
        ...one,
        commentData: marked(one.commentData as Data[], one.annotationId).map((each) => ({
          ...each,
          triggerActivities: true,
        })),
      }))
      return { ...data, commentAnnotations }
    }
    const { annotationId, annotationIds } = data as { annotationId?: string; annotationIds?: string[] }
    if (isSecret(annotationId) || annotationIds?.some(isSecret)) return undefined
    if (path !== addComments.path) return data
    return { ...data, commentData: marked(data.commentData as Data[], annotationId) }
  }
  const call = async (operation: { path: string }, data: Data) => {
    const sent = changed(operation.path, data)
    return sent === undefined ? {} : client.call(operation as never, sent as never)
  }
  return { ...client, call } as unknown as Client
}

/** Returns a function that builds pairs of worlds at the same time, with two API keys for each access type. */
export function createWorldPairs(newKey: () => Promise<Client>): (specs: readonly WorldSpec[]) => Promise<WorldPair[]> {
  const keys = new Map<string, Promise<[Client, Client]>>()
  const withSettings = async (defaultDocumentAccessType: WorldSpec['defaultAccessType']) => {
    const client = await newKey()
    await client.call(updateKeyConfig, { defaultDocumentAccessType })
    await client.call(updateNotificationConfig, { useNotificationService: true })
    await client.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: false } })
    return client
  }
  let made = 0
  return async (specs) => {
    const built = specs.map(async (given, nth) => {
      const steps = given.steps.filter((step) => step.do !== 'read notification')
      // Activities of apps about deleted threads remain, so every fourth world has one.
      const ended = nth % 4 === 3 ? [...steps, { do: 'delete thread' as const, thread: nth }] : steps
      const spec = { ...given, steps: ended }
      const accessType = spec.defaultAccessType
      const both = keys.get(accessType) ?? Promise.all([withSettings(accessType), withSettings(accessType)])
      keys.set(accessType, both)
      const [one, other] = await both
      const id = `o${++made}`
      const { world: whole, visibleAtEnd } = await build(one, id, spec)
      const able = whole.users.filter((userId) => !whole.key.disabledUsers.includes(userId))
      const reader = able[nth % able.length]
      if (reader === undefined) return []
      const threadIds = Array.from({ length: whole.threadsMade }, (_, number) => `t${number}`)
      const secret = new Set(threadIds.filter((threadId) => !mayKnow(whole, threadId, reader, visibleAtEnd)))
      const { world: without } = await build(other, id, spec, secret)
      return [{ whole, without, reader, secret }]
    })
    return (await Promise.all(built)).flat()
  }
}

/** Returns whether a user may know of a thread when everything is read: it is visible now, or was when it was deleted. */
function mayKnow(
  { threads, key, documents }: World,
  threadId: string,
  userId: string,
  deleted: ReadonlyMap<string, { documentId: string; users: ReadonlySet<string> }>,
): boolean {
  const isOpen = (documentId: string) => {
    const document = documents.find(({ id }) => id === documentId)
    return document !== undefined && decide(document, userId, READ_AT, key).allowed
  }
  const thread = threads.find(({ id }) => id === threadId)
  if (thread !== undefined) return isVisible(thread, userId, READ_AT) && isOpen(thread.document.id)
  const gone = deleted.get(threadId)
  return gone === undefined || (gone.users.has(userId) && isOpen(gone.documentId))
}

async function build(client: Client, id: string, spec: WorldSpec, secret: ReadonlySet<string> = new Set()) {
  await client.call(addOrganizations, { organizations: [{ organizationId: id }, { organizationId: otherOf(id) }] })
  const world = await buildWorld(marking(client, secret), id, spec)
  const visibleAtEnd = new Map<string, { documentId: string; users: Set<string> }>()
  const look = async () => {
    for (const thread of world.threads) {
      if (!visibleAtEnd.has(thread.id)) await record(client, world, thread.document.id, `early-${thread.id}`, secret)
      const users = world.users.filter((userId) => isVisible(thread, userId, Date.now() / 1000))
      visibleAtEnd.set(thread.id, { documentId: thread.document.id, users: new Set(users) })
    }
  }
  await look()
  for (const step of spec.steps) {
    await take(world, step)
    await look()
  }
  for (const [threadId, { documentId }] of visibleAtEnd)
    await record(client, world, documentId, `late-${threadId}`, secret)
  return { world, visibleAtEnd }
}

/** Records an activity of the app about a thread, unless its document is deleted. */
async function record(
  client: Client,
  { organization, documents }: World,
  documentId: string,
  id: string,
  secret: ReadonlySet<string>,
): Promise<void> {
  const [, targetEntityId = ''] = id.split('-')
  if (secret.has(targetEntityId) || !documents.some((document) => document.id === documentId)) return
  const activity = { featureType: 'custom' as const, actionType: 'done', actionUser: { userId: 'app' } }
  const activities = [{ id, ...activity, targetEntityId, entityData: markerOf(targetEntityId) }]
  await client.call(addActivities, { organizationId: organization.id, documentId, activities })
}
