/** Random threads, notifications, preferences and activities of an organization, with everything that an export contains of them. */
import type { Client } from '#sdk/index.ts'

interface Drawing {
  below: (count: number) => number
  oneOf: <Value>(values: readonly Value[]) => Value
  maybe: <Value>(value: () => Value, chance?: number) => Value | undefined
  word: () => string
}

interface Place {
  organizationId: string
  documentIds: readonly string[]
  users: readonly string[]
}

const STATUS = { color: '#000000', lightColor: '#ffffff', svg: '<svg/>' }
const STATUSES = [
  { id: 'OPEN', name: 'Open', type: 'default', ...STATUS },
  { id: 'DONE', name: 'Done', type: 'terminal', ...STATUS },
] as const

/** Enables the features that calls need: activities, some of them immutable, and notifications of comments. */
export async function switchOnDiscussions(client: Client, immutable: boolean): Promise<void> {
  await client.activityConfig.update({ activityServiceConfig: { isEnabled: true, immutable } })
  await client.notificationConfig.update({ useNotificationService: true })
}

/** Draws everything at once, and returns a function that writes it. */
export function drawDiscussions(client: Client, place: Place, drawing: Drawing): () => Promise<void> {
  const { below, oneOf, maybe, word } = drawing
  const { organizationId, documentIds, users } = place
  const user = () => ({ userId: oneOf(users), ...(maybe(() => true) && { name: word() }) })
  const field = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value })
  const comment = (nth: number) => ({
    ...field(
      'commentId',
      maybe(() => 200_000 + nth),
    ),
    commentText: `${word()} {{${word()}}}`,
    from: user(),
    triggerNotification: below(2) === 0,
    ...field(
      'commentHtml',
      maybe(() => `<b>${word()}</b>`),
    ),
    ...field(
      'createdAt',
      maybe(() => 1_700_000_000_000 + below(1_000_000)),
    ),
    ...field(
      'context',
      maybe(() => ({ b: [1, { z: 1, a: word() }], a: 1.5 })),
    ),
    ...field(
      'attachments',
      maybe(() => [{ attachmentId: below(9), name: word(), metadata: { y: 1, x: null } }], 0.2),
    ),
    ...field(
      'progress',
      maybe(() => ({ state: 'active' as const, visibleToUserIds: [oneOf(users)] }), 0.2),
    ),
    ...field(
      'taggedUserContacts',
      maybe(() => [{ userId: oneOf(users), contact: user(), text: `@${word()}` }], 0.4),
    ),
  })
  const agent = () => ({
    ...{ agentSource: 'external' as const, agentId: 'checker', agentName: 'Checker' },
    reason: { title: word(), description: word(), severity: 'low' as const, own: { b: 1, a: 2 } },
  })
  const visibility = () =>
    oneOf([
      { type: 'restricted' as const, userIds: [oneOf(users)] },
      { type: 'organizationPrivate' as const, organizationIds: [organizationId, 'elsewhere'] },
    ])
  const threads = documentIds.flatMap((documentId) =>
    Array.from({ length: below(3) }, (_, nth) => ({
      documentId,
      thread: {
        annotationId: `t${below(3)}-${nth}`,
        comments: Array.from({ length: 1 + below(4) }, (_one, at) => ({
          ...comment(at),
          ...field('agent', maybe(agent, 0.2)),
        })),
        ...field('visibility', maybe(visibility, 0.4)),
        ...field(
          'location',
          maybe(() => ({ id: word(), locationName: word(), own: { b: 1, a: 1 } })),
        ),
        ...field('assignedTo', maybe(user)),
        ...field(
          'status',
          maybe(() => oneOf(STATUSES)),
        ),
        ...field(
          'priority',
          maybe(() => ({ id: 'P0', name: word(), color: '#000000', lightColor: '#ffffff' })),
        ),
        ...field(
          'suggestion',
          maybe(() => ({ newValue: { b: 1, a: word() }, summary: word() })),
        ),
        ...field(
          'type',
          maybe(() => 'suggestion' as const),
        ),
        ...field(
          'positionX',
          maybe(() => 1.25),
        ),
        ...field(
          'createdAt',
          maybe(() => 1_700_000_000_000 + below(1_000_000)),
        ),
      },
      changes: [
        maybe(() => ({ status: STATUSES[1], resolvedByUserId: oneOf(users) }), 0.3),
        maybe(() => ({ statusUpdatedByUserId: oneOf(users), lastUpdated: 1_700_000_000_000 }), 0.3),
      ],
      reader: maybe(() => oneOf(users)),
      muted: maybe(() => oneOf(users), 0.3),
      isEdited: below(3) === 0,
      isCut: below(3) === 0,
    })),
  )
  const notifications = documentIds.map((documentId, nth) => ({
    ...{ organizationId, documentId, notificationId: `n${nth}`, actionUser: user() },
    ...{
      displayHeadlineMessageTemplate: word(),
      displayBodyMessage: word(),
      notifyUsers: [user(), { userId: oneOf(users), email: 'a@example.com' }],
    },
    ...{ notifyAll: below(2) === 0, verifyUserPermissions: false },
    ...field(
      'metadata',
      maybe(() => ({ z: 1, a: { y: 1, x: 2 } })),
    ),
    ...field(
      'location',
      maybe(() => ({ id: word(), more: word() })),
    ),
  }))
  const readers = notifications.map(() => maybe(() => oneOf(users)))
  const persists = notifications.map(() => below(2) === 0)
  const preferences = [undefined, ...documentIds.slice(0, 2)].map((documentId) => ({
    ...{
      organizationId,
      userIds: [oneOf(users), oneOf(users)],
      config: { inbox: oneOf(['ALL', 'MINE', 'NONE'] as const), [`own ${word()}`]: 'ALL' as const },
    },
    ...(documentId !== undefined && { documentIds: [documentId] }),
  }))
  const activities = documentIds.map((documentId, nth) => ({
    documentId,
    activity: {
      ...{
        id: `a${nth}`,
        featureType: 'custom' as const,
        actionType: word(),
        actionUser: user(),
        targetEntityId: word(),
      },
      ...field(
        'entityData',
        maybe(() => [{ b: 1, a: null }]),
      ),
      ...field(
        'changes',
        maybe(() => ({ title: { to: 2, from: 1 } })),
      ),
    },
  }))

  return async () => {
    const at = (documentId: string, annotationId: string) => ({ organizationId, documentId, annotationId })
    const added = new Map(threads.map((one) => [`${one.documentId} ${one.thread.annotationId}`, one]))
    for (const { documentId, thread, changes, reader, muted, isEdited, isCut } of added.values()) {
      const { annotationId } = thread
      const result = await client.threads.add({ organizationId, documentId, commentAnnotations: [thread] as never })
      const { commentIds = [] } = Object.values(result)[0] ?? {}
      const [first = 0, second] = commentIds
      const annotationIds = [annotationId]
      for (const updatedData of changes)
        if (updatedData !== undefined)
          await client.threads.update({ organizationId, documentId, annotationIds, updatedData })
      if (reader !== undefined)
        await client.threads.read({
          organizationId,
          documentId,
          userId: reader,
          annotationIds,
          ...(isCut && { commentId: first }),
        })
      if (muted !== undefined)
        await client.threadSubscriptions.set({
          organizationId,
          documentId,
          userId: muted,
          annotationIds,
          subscription: 'unsubscribed',
        })
      if (isEdited)
        await client.comments.update({
          ...at(documentId, annotationId),
          commentIds: [first],
          updatedData: { commentText: 'edited' },
        })
      if (isCut && second !== undefined)
        await client.comments.delete({ ...at(documentId, annotationId), commentIds: [second] })
      if (isCut)
        await client.comments.add({
          ...at(documentId, annotationId),
          commentData: [{ commentText: 'later', from: { userId: 'late' } }],
        })
    }
    for (const notification of notifications) await client.notifications.add(notification as never)
    for (const [nth, reader] of readers.entries())
      if (reader !== undefined)
        await client.notifications.update({
          organizationId,
          notifications: [{ id: `n${nth}`, readByUserIds: [reader], persistReadForUsers: persists[nth] === true }],
        })
    for (const preference of preferences) await client.notificationPreferences.set(preference)
    for (const { documentId, activity } of activities)
      await client.activities.add({ organizationId, documentId, activities: [activity] as never })
  }
}
