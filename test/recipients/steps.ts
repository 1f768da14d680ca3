/** Changes a world of comments, in the server and in the objects of the interpreter. */
import assert from 'node:assert/strict'
import { removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import { getNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { deleteDocuments, disableDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { deleteOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import {
  at,
  commentIdOf,
  GROUP,
  grant,
  join,
  nameOf,
  newOrganization,
  sent,
  setLevels,
  startThreads,
  targetOf,
  userAt,
  visibilityOf,
  type World,
  written,
} from './contents.ts'
import { inboxOf, type Thread, write } from './interpreter.ts'
import type { Step } from './worlds.ts'

export async function take(world: World, step: Step): Promise<void> {
  const { client, organization, other, documents, threads, key } = world
  const organizationId = organization.id
  const inThread = ({ id, document }: Thread) => ({ organizationId, documentId: document.id, annotationIds: [id] })
  switch (step.do) {
    case 'grant':
      return grant(world, [step])
    case 'revoke': {
      const resource = targetOf(world, step.target)
      resource.grants.delete(userAt(world, step.user))
      const permissions = { resources: [nameOf(world, resource)] }
      await client.call(removePermissions, { userId: userAt(world, step.user), permissions })
      return
    }
    case 'join group':
      return join(world, [step.user])
    case 'leave group': {
      if (!organization.groups?.get(GROUP)?.delete(userAt(world, step.user))) return
      const userIds = [userAt(world, step.user)]
      await client.call(deleteUserGroupUsers, { organizationId, organizationUserGroupId: GROUP, userIds })
      return
    }
    case 'disable user': {
      key.disabledUsers.push(userAt(world, step.user))
      await client.call(disableUsers, { userIds: [userAt(world, step.user)], disabled: true })
      return
    }
    case 'set access': {
      const document = at(documents, step.document)
      if (document === undefined) return
      document.accessType = step.accessType ?? undefined
      const access = step.accessType === null ? { inheritFromParent: true } : { accessType: step.accessType }
      await client.call(setDocumentAccess, { organizationId, documentIds: [document.id], ...access })
      return
    }
    case 'disable document': {
      const document = at(documents, step.document)
      if (document === undefined) return
      document.disabled = true
      await client.call(disableDocuments, { organizationId, documentIds: [document.id], disabled: true })
      return
    }
    case 'delete document': {
      const document = at(documents, step.document)
      if (document === undefined) return
      documents.splice(documents.indexOf(document), 1)
      world.threads = threads.filter((thread) => thread.document !== document)
      await client.call(deleteDocuments, { organizationId, documentIds: [document.id] })
      return
    }
    case 'delete other organization':
      other.grants.clear()
      // One that is added later under its id is another one: threads that were private to the members of this are not to those of that.
      world.other = newOrganization(other.id)
      await client.call(deleteOrganizations, { organizationIds: [other.id] })
      return
    case 'reply': {
      const thread = at(threads, step.thread)
      if (thread === undefined) return
      const { id: annotationId, document } = thread
      const comments = [written(world, step)]
      const commentData = sent(write(thread, comments), comments)
      await client.call(addComments, { organizationId, documentId: document.id, annotationId, commentData })
      return
    }
    case 'start thread':
      return startThreads(world, [step])
    case 'subscribe':
    case 'unsubscribe': {
      const thread = at(threads, step.thread)
      if (thread === undefined) return
      const subscription = `${step.do}d` as const
      thread.subscriptions.set(userAt(world, step.user), subscription)
      await client.call(setSubscriptions, { ...inThread(thread), userId: userAt(world, step.user), subscription })
      return
    }
    case 'set level': {
      const document = step.document === null ? undefined : at(documents, step.document)
      const config = Object.fromEntries(step.channels.map((channel) => [channel, step.level]))
      return setLevels(world, [step.user], config, document)
    }
    case 'see': {
      const thread = at(threads, step.thread)
      if (thread === undefined) return
      const userId = userAt(world, step.user)
      const comment = step.comment === null ? undefined : at(thread.comments, step.comment)
      const { position } = comment ?? thread.comments.at(-1) ?? { position: 0 }
      thread.seenThrough.set(userId, Math.max(position, thread.seenThrough.get(userId) ?? 0))
      await client.call(readThreads, { ...inThread(thread), userId, ...(comment && { commentId: comment.id }) })
      return
    }
    case 'set visibility': {
      const thread = at(threads, step.thread)
      if (thread === undefined) return
      const visibility = visibilityOf(world, step.visibility, thread.author)
      thread.visibility = visibility.stored
      await client.call(updateThreads, { ...inThread(thread), updatedData: { visibility: visibility.sent } })
      return
    }
    case 'assign': {
      const thread = at(threads, step.thread)
      if (thread === undefined) return
      thread.assignee = userAt(world, step.user)
      await client.call(updateThreads, {
        ...inThread(thread),
        updatedData: { assignedTo: { userId: thread.assignee } },
      })
      return
    }
    case 'follow document':
    case 'mute document': {
      const document = at(documents, step.document)
      if (document === undefined) return
      const isMuted = step.do === 'mute document'
      const userId = userAt(world, step.user)
      document.levels.inbox.set(userId, isMuted ? 'NONE' : 'ALL')
      if (isMuted) document.levels.email.set(userId, 'NONE')
      else document.levels.email.delete(userId)
      const subscription = isMuted ? 'unsubscribed' : 'subscribed'
      await client.call(setSubscriptions, { organizationId, documentId: document.id, userId, subscription })
      return
    }
    case 'delete comment': {
      const thread = at(threads, step.thread)
      const comment = thread && at(thread.comments, step.comment)
      if (thread === undefined || comment === undefined) return
      thread.comments.splice(thread.comments.indexOf(comment), 1)
      if (thread.comments.length === 0) threads.splice(threads.indexOf(thread), 1)
      const { id: annotationId, document } = thread
      const data = { organizationId, documentId: document.id, annotationId, commentIds: [comment.id] }
      await client.call(deleteComments, data)
      return
    }
    case 'delete thread': {
      const thread = at(threads, step.thread)
      if (thread === undefined) return
      threads.splice(threads.indexOf(thread), 1)
      await client.call(deleteThreads, inThread(thread))
      return
    }
    case 'read notification':
      return readNotification(world, userAt(world, step.user), step)
  }
}

/** Marks a notification in the inbox of a user as read, if the inbox has one. */
async function readNotification(
  world: World,
  userId: string,
  { notification, persists }: { notification: number; persists: boolean },
): Promise<void> {
  const { client, organization, threads } = world
  const read = at(inboxOf(world, userId, Date.now() / 1000), notification)
  if (read === undefined) return
  const organizationId = organization.id
  const listed = await client.call(getNotifications, { organizationId, userId })
  const found = listed.find(
    ({ targetAnnotationId, notificationSourceData }) =>
      targetAnnotationId === read.threadId && commentIdOf(notificationSourceData) === read.commentId,
  )
  assert.ok(found, `the inbox of ${userId} does not list ${read.threadId}/${read.commentId}`)
  const change = { id: found.id, readByUserIds: [userId], persistReadForUsers: persists }
  const results = await client.call(updateNotifications, { organizationId, notifications: [change] })
  assert.ok(results[found.id]?.success)
  const comment = threads.find(({ id }) => id === read.threadId)?.comments.find(({ id }) => id === read.commentId)
  comment?.notice?.readBy.set(userId, persists ? 'listed' : 'hidden')
}
