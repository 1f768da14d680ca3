/** Compares the lists and counts of the server in a world of comments with the reference interpreter. */
import assert from 'node:assert/strict'
import { countThreads } from '#contract/comments/seen.ts'
import { getThreads } from '#contract/comments/threads.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { listRecipients } from '#features/comments/shared.ts'
import type { Db } from '#platform/db/db.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { decide } from '../matrix/interpreter.ts'
import { commentIdOf, type World } from './contents.ts'
import { type Channel, countsOf, inboxOf, isVisible, type Listed, recipientsOf, type Thread } from './interpreter.ts'
import { READ_AT } from './worlds.ts'

const DOCUMENTS = ['d0', 'd1']

/**
 * Compares the inboxes of all users, the counts for each, and the threads that one of them reads with a token, at the
 * moment of `READ_AT`. Returns the contents of the inboxes.
 */
export async function compareWorld(world: World): Promise<Listed[]> {
  const [lists] = await Promise.all([
    Promise.all(world.users.map((userId) => compareUser(world, userId))),
    compareToken(world, world.users[world.threadsMade % world.users.length] ?? ''),
  ])
  return lists.flat()
}

/** Compares the threads that a page shows a user. */
async function compareToken({ client, key, organization, threads }: World, userId: string): Promise<void> {
  if (key.disabledUsers.includes(userId)) return
  const { token } = await client.call(generateToken, { userId })
  const user = client.with({ authorization: `Bearer ${token}` })
  const shown = await user.call(getThreads, { organizationId: organization.id, documentIds: DOCUMENTS })
  const isShown = (thread: Thread) =>
    isVisible(thread, userId, READ_AT) && decide(thread.document, userId, READ_AT, key).allowed
  assert.deepEqual(
    (shown as { annotationId: string }[]).map(({ annotationId }) => annotationId).sort(),
    threads
      .filter(isShown)
      .map(({ id }) => id)
      .sort(),
    `the threads that ${userId} is shown`,
  )
}

async function compareUser(world: World, userId: string): Promise<Listed[]> {
  const { client, organization, documents } = world
  const organizationId = organization.id
  const [inbox, counts] = await Promise.all([
    client.call(getNotifications, { organizationId, userId }),
    client.call(countThreads, { organizationId, userId, documentIds: DOCUMENTS }),
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
  const wantedCounts = DOCUMENTS.map((id) => {
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

const CHANNELS: readonly Channel[] = ['email', 'inbox']

/**
 * Compares whom every comment of the worlds involves, and why users are left out, at the moment of `READ_AT`, with one
 * statement for each channel. Returns how often each reason was compared.
 */
export async function compareRecipients(db: Db, worlds: readonly World[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const keyOf = ({ client, organization }: World) =>
    organizationKey({ apiKeyId: apiKeyOf(client) as ApiKeyId }, organization.id)
  const found = await db.query(
    `select organization_key || id as name, resource_key as key from resources where kind = 'document' and organization_key = any($1::uuid[])`,
    [worlds.map(keyOf)],
  )
  const resourceKeys = new Map((found.rows as { name: string; key: string }[]).map(({ name, key }) => [name, key]))
  const asked = worlds.flatMap((world) =>
    world.threads.flatMap((thread) => {
      const { id: annotationId, document, comments } = thread
      const key = keyOf(world)
      const where = { organizationKey: key, resourceKey: resourceKeys.get(key + document.id) ?? '', annotationId }
      const actor = world.users[0] ?? ''
      return [
        ...comments.map((comment) => ({ world, thread, about: comment, subject: { ...where, commentId: comment.id } })),
        { world, thread, about: { actor }, subject: { ...where, actorId: actor } },
      ]
    }),
  )
  for (const channel of CHANNELS) {
    const answers = await listRecipients(
      db,
      channel,
      asked.map(({ subject }) => subject),
    )
    for (const [index, { world, thread, about, subject }] of asked.entries()) {
      const listed = answers[index]?.users.map(({ userId, reason, leftOut }) => `${userId}: ${leftOut ?? reason}`)
      const wanted = recipientsOf(world, thread, about, channel, READ_AT)
      assert.deepEqual(listed, wanted, `who hears by ${channel} of ${JSON.stringify(subject)}`)
      for (const said of wanted) {
        const reason = said.split(': ')[1] ?? ''
        counts.set(reason, (counts.get(reason) ?? 0) + 1)
      }
    }
  }
  return counts
}
