/** Fills a world of comments twice: in the server, through the API, and as objects of the interpreter. */
import assert from 'node:assert/strict'
import { addGrants } from '#contract/access/grants.ts'
import type { ResourceName } from '#contract/access/permissions.ts'
import type { ThreadVisibility } from '#contract/comments/agents.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import type { Client } from '#testing/client.ts'
import { write as writeGrant } from '../matrix/build.ts'
import type { Resource as AccessResource, Key } from '../matrix/interpreter.ts'
import {
  type Channel,
  type Comment,
  type Level,
  noLevels,
  type Resource,
  type Thread,
  type Visibility,
  write,
} from './interpreter.ts'
import { type CommentSpec, type GrantSpec, type ThreadSpec, USERS, type WorldSpec } from './worlds.ts'

export const GROUP = 'group'

export interface World {
  client: Client
  key: Key & { disabledUsers: string[] }
  organization: Resource
  /** An organization of the same API key, whose members are guests here. */
  other: AccessResource
  documents: Resource[]
  threads: Thread[]
  users: string[]
  /** All threads that the world has ever had. */
  threadsMade: number
}

export const otherOf = (id: string): string => `${id}-other`

export async function buildWorld(client: Client, id: string, spec: WorldSpec): Promise<World> {
  const organization: Resource = { ...newOrganization(id), levels: noLevels() }
  const documents = spec.documents.map(
    (accessType, nth): Resource => ({
      type: 'document',
      id: `d${nth}`,
      parent: organization,
      accessType: accessType ?? undefined,
      disabled: false,
      grants: new Map(),
      levels: noLevels(),
    }),
  )
  const world: World = {
    client,
    key: { accessType: spec.defaultAccessType, accessRole: 'viewer', disabledUsers: [] },
    organization,
    other: newOrganization(otherOf(id)),
    documents,
    threads: [],
    // Users belong to the API key, which worlds share.
    users: Array.from({ length: USERS }, (_, nth) => `${id}-u${nth}`),
    threadsMade: 0,
  }
  await client.call(addDocuments, {
    organizationId: id,
    documents: documents.map(({ id, accessType }) => ({ documentId: id, ...(accessType && { accessType }) })),
  })
  if (spec.members !== null) {
    organization.groups = new Map([[GROUP, new Set()]])
    await client.call(addUserGroups, { organizationId: id, organizationUserGroups: [{ groupId: GROUP }] })
  }
  await grant(world, spec.grants)
  if (spec.members !== null) await join(world, spec.members)
  if (spec.withAll.length > 0) await setLevels(world, spec.withAll, { email: 'ALL' })
  await startThreads(world, spec.threads)
  return world
}

export const newOrganization = (id: string): AccessResource => ({
  type: 'organization',
  id,
  disabled: false,
  grants: new Map(),
})

export const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length]
export const userAt = ({ users }: World, nth: number): string => users[nth] ?? ''

export function targetOf({ organization, other, documents }: World, target: GrantSpec['target']): AccessResource {
  if (target === 'other organization') return other
  return (target === 'organization' ? undefined : at(documents, target)) ?? organization
}

export const nameOf = ({ organization }: World, { type, id }: AccessResource): ResourceName =>
  type === 'organization' ? { type, id } : { type, id, organizationId: organization.id }

export async function grant(world: World, specs: readonly GrantSpec[]): Promise<void> {
  const grants = specs.flatMap(({ holder, target, expiresAt }) => {
    const resource = targetOf(world, target)
    if (holder === 'group' && (world.organization.groups === undefined || resource === world.other)) return []
    const principal = holder === 'group' ? GROUP : userAt(world, holder)
    const expiry = expiresAt === null ? {} : { expiresAt }
    writeGrant(resource, principal, { role: 'viewer', ...expiry })
    const held = holder === 'group' ? { groupId: GROUP } : { userId: principal }
    return [{ ...held, ...nameOf(world, resource), accessRole: 'viewer' as const, ...expiry }]
  })
  if (grants.length > 0) await world.client.call(addGrants, { grants })
}

export async function join({ client, organization, users }: World, members: readonly number[]): Promise<void> {
  const group = organization.groups?.get(GROUP)
  const userIds = members.map((nth) => users[nth] ?? '')
  if (group === undefined || userIds.length === 0) return
  const data = { organizationId: organization.id, organizationUserGroupId: GROUP, userIds }
  const answer = await client.call(addUserGroupUsers, data)
  for (const userId of userIds) {
    assert.equal(answer[userId]?.success, organization.grants.has(userId), `${userId} in the group`)
    if (organization.grants.has(userId)) group.add(userId)
  }
}

export function visibilityOf(
  { organization, other, users }: World,
  spec: ThreadSpec['visibility'],
  author: string,
): { stored: Visibility; sent: ThreadVisibility } {
  if (spec.type === 'public') return { stored: { type: 'public' }, sent: { type: 'public' } }
  if (spec.type === 'restricted') {
    const userIds = spec.users.map((nth) => users[nth] ?? '')
    return { stored: { type: 'restricted', userIds: [...userIds, author] }, sent: { type: 'restricted', userIds } }
  }
  const organizations = [...(spec.own ? [organization] : []), ...(spec.other ? [other] : [])]
  return {
    stored: { type: 'organizationPrivate', organizations, userIds: [author] },
    sent: { type: 'organizationPrivate', organizationIds: organizations.map(({ id }) => id) },
  }
}

export const written = (world: World, { author, mentions, notifies }: CommentSpec) => ({
  author: userAt(world, author),
  mentions: mentions.map((nth) => userAt(world, nth)),
  notifies,
})

/** Returns comments from the interpreter in the form of a call. */
export const sent = (comments: readonly Comment[], specs: readonly ReturnType<typeof written>[]) =>
  comments.map(({ id, author }, nth) => ({
    commentId: id,
    from: { userId: author },
    commentText: (specs[nth]?.mentions ?? []).map((userId) => `{{${userId}}}`).join(),
    taggedUserContacts: (specs[nth]?.mentions ?? []).map((userId) => ({ userId, text: '@', contact: { userId } })),
    triggerNotification: specs[nth]?.notifies ?? false,
  }))

export async function startThreads(world: World, specs: readonly ThreadSpec[]): Promise<void> {
  const { client, organization, documents, threads } = world
  for (const [document, own] of Map.groupBy(specs, (spec) => at(documents, spec.document))) {
    if (document === undefined) return
    const commentAnnotations = own.map((spec) => {
      const comments = spec.comments.map((each) => written(world, each))
      const author = comments[0]?.author ?? ''
      const visibility = visibilityOf(world, spec.visibility, author)
      const thread: Thread = {
        id: `t${world.threadsMade++}`,
        document,
        author,
        visibility: visibility.stored,
        hasContext: spec.hasContext,
        comments: [],
        written: 0,
        subscriptions: new Map(),
        seenThrough: new Map(),
      }
      threads.push(thread)
      return {
        annotationId: thread.id,
        visibility: visibility.sent,
        ...(spec.hasContext && { context: { access: { team: 'x' } } }),
        commentData: sent(write(thread, comments), comments),
      }
    })
    await client.call(addThreads, { organizationId: organization.id, documentId: document.id, commentAnnotations })
  }
}

/** Sets levels of channels for users, for a document or for the organization. */
export async function setLevels(
  world: World,
  users: readonly number[],
  config: Partial<Record<Channel, Level>>,
  document?: Resource,
): Promise<void> {
  const { client, organization } = world
  const userIds = users.map((nth) => userAt(world, nth))
  for (const [channel, level] of Object.entries(config) as [Channel, Level][])
    for (const userId of userIds) (document ?? organization).levels[channel].set(userId, level)
  const where = document === undefined ? {} : { documentIds: [document.id] }
  await client.call(setNotificationPreferences, { organizationId: organization.id, userIds, config, ...where })
}

export const commentIdOf = (notificationSourceData: object): number | undefined =>
  (notificationSourceData as { comments?: { commentId: number }[] }).comments?.[0]?.commentId
