/** What the server lists and counts in a world of comments, compared with the reference interpreter. */
import assert from 'node:assert/strict'
import { countThreads } from '#contract/comments/seen.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { commentIdOf, type World } from './build.ts'
import { countsOf, inboxOf, type Listed } from './interpreter.ts'
import { READ_AT } from './worlds.ts'

/** Compares the inboxes of all users, and the counts for each, at the moment of `READ_AT`; returns what the inboxes list. */
export async function compareWorld(world: World): Promise<Listed[]> {
  const lists = await Promise.all(world.users.map((userId) => compareUser(world, userId)))
  return lists.flat()
}

async function compareUser(world: World, userId: string): Promise<Listed[]> {
  const { client, organization, documents } = world
  const organizationId = organization.id
  const documentIds = ['d0', 'd1']
  const [inbox, counts] = await Promise.all([
    client.call(getNotifications, { organizationId, userId }),
    client.call(countThreads, { organizationId, userId, documentIds }),
  ])
  const wanted = inboxOf(world, userId, READ_AT)
  const listed = inbox.map(({ targetAnnotationId, notificationSourceData, isUnread, forYou }) =>
    textOf({
      threadId: targetAnnotationId ?? '',
      commentId: commentIdOf(notificationSourceData) ?? 0,
      isUnread: isUnread === true,
      forYou: forYou === true,
    }),
  )
  const wantedCounts = documentIds.map((id) => {
    const document = documents.find((one) => one.id === id)
    return [id, document === undefined ? { total: 0, unread: 0 } : countsOf(world, document, userId, READ_AT)] as const
  })
  assert.deepEqual(
    { inbox: listed.sort(), counts },
    { inbox: wanted.map(textOf).sort(), counts: Object.fromEntries(wantedCounts) },
    `what ${userId} sees`,
  )
  return wanted
}

const textOf = ({ threadId, commentId, isUnread, forYou }: Listed): string =>
  [`${threadId}/${commentId}`, ...(isUnread ? ['unread'] : []), ...(forYou ? ['for you'] : [])].join(' ')
