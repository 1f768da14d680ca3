/**
 * Activities: recorded if the key has them on, overwritten by id unless immutable, listed by time and filters, and
 * deleted with their document (rules/comments.md#activities).
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { addActivities, deleteActivities, getActivities, updateActivities } from '#contract/activities/activities.ts'
import { addThreads, deleteThreads } from '#contract/comments/threads.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { deleteDocuments, moveDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeErasure, completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addTree({ f: 'root' })
  await acme.addDocuments('root', { documentId: 'd' }, { documentId: 'e' })
  await acme.key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: false } })
})

const ada = { userId: 'ada', name: 'Ada' }
const custom = (id: string | undefined, more: object = {}) => ({
  ...(id === undefined ? {} : { id }),
  ...{ featureType: 'custom', actionType: 'approved', actionUser: ada, targetEntityId: 'budget' },
  ...more,
})
const add = (documentId: string, ...activities: object[]) => acme.post(addActivities, { documentId, activities })
const added = async (documentId: string, ...activities: object[]) => {
  const answer = await add(documentId, ...activities)
  assert.equal(answer.http, 200, answer.text)
  return answer.body.result.data
}
const get = (data: object = {}) => acme.call(getActivities, data)
const ids = async (data: object = {}): Promise<string[]> => (await get(data)).map(({ id }: { id: string }) => id)
const immutable = (isImmutable: boolean) =>
  acme.key.call(updateActivityConfig, { activityServiceConfig: { immutable: isImmutable } })

describe('activities.add', () => {
  it('returns success and a message, and stores every field', async () => {
    const given = {
      targetSubEntityId: 'line 3',
      changes: { status: { from: 'open', to: 'closed' } },
      entityData: [{ any: null }],
      entityTargetData: 'text',
      displayMessageTemplate: '{{actionUser.name}} closed {{what}}',
      displayMessageTemplateData: { what: 'it' },
      actionIcon: 'check',
      isActivityResolverUsed: true,
    }
    assert.deepEqual(await added('d', custom('a', given)), {
      success: true,
      message: 'Activities added successfully.',
    })
    const [{ timestamp, ...activity }] = await get()
    assert.ok(Number.isInteger(timestamp))
    assert.deepEqual(activity, {
      id: 'a',
      featureType: 'custom',
      actionType: 'approved',
      actionUser: ada,
      metadata: { apiKey: apiKeyOf(acme.key), organizationId, documentId: 'd' },
      targetEntityId: 'budget',
      ...given,
      immutable: false,
    })
  })

  it('requires targetEntityId for custom activities alone, and known feature types', async () => {
    const { targetEntityId: _, ...without } = custom('a')
    refusedField(await add('d', custom('b'), without), 'activities[1].targetEntityId')
    refusedField(await add('d', { ...custom('a'), featureType: 'other' }), 'activities[0].featureType')
    await added('d', { ...without, featureType: 'comment', actionType: 'newlyAdded' })
    assert.deepEqual(await ids(), ['a'])
  })

  it('overwrites an id that exists: the same call twice leaves one record, with the time of the first', async () => {
    await added('d', custom('a', { actionIcon: 'x' }), custom('b'))
    const before = await get()
    await sleep(5)
    await added('d', custom('a', { actionIcon: 'x' }), custom('b'))
    assert.deepEqual(await get(), before)
    await added('e', custom('a', { actionType: 'rejected' }))
    const [changed] = await get({ activityIds: ['a'] })
    const [, first] = before
    assert.deepEqual(
      [changed.metadata.documentId, changed.actionType, changed.actionIcon],
      ['e', 'rejected', undefined],
    )
    assert.equal(changed.timestamp, before.find(({ id }: { id: string }) => id === 'a').timestamp)
    assert.ok(first)
  })

  it('creates ids that follow the order of the call', async () => {
    await added('d', ...['one', 'two', 'three'].map((actionType) => custom(undefined, { actionType })))
    const activities = await get({ order: 'asc' })
    assert.deepEqual(
      activities.map(({ actionType }: { actionType: string }) => actionType),
      ['one', 'two', 'three'],
    )
    for (const { id } of activities) assert.match(id, /^[-\w]{20}$/)
  })

  it('is refused as FAILED_PRECONDITION while the service is off; recorded activities can still be read', async () => {
    await added('d', custom('a'))
    await acme.key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: false } })
    const off = refused(await add('d', custom('b')), 'FAILED_PRECONDITION')
    assert.equal(off.reason, 'activities_off')
    assert.match(off.message, /call workspace\/activityconfig\/update with activityServiceConfig\.isEnabled: true/)
    assert.deepEqual(await ids(), ['a'])
    const fresh = await newAcme(server)
    await fresh.addDocuments('root', { documentId: 'd' })
    const answer = await fresh.post(addActivities, { documentId: 'd', activities: [custom('a')] })
    assert.equal(refused(answer, 'FAILED_PRECONDITION').reason, 'activities_off')
    assert.deepEqual(await fresh.call(getActivities), [])
  })

  it('takes immutable from the key when it writes, and overwrites nothing immutable', async () => {
    await added('d', custom('a'))
    await immutable(true)
    await added('d', custom('b'), custom('a', { actionType: 'again' }))
    const answer = await add('d', custom('c'), custom('b', { actionType: 'forged' }))
    assert.equal(refused(answer, 'FAILED_PRECONDITION').reason, 'activity_immutable')
    await immutable(false)
    assert.equal(refused(await add('d', custom('b')), 'FAILED_PRECONDITION').reason, 'activity_immutable')
    const activities = await get({ order: 'asc' })
    assert.deepEqual(
      activities.map((one: Record<string, unknown>) => [one.id, one.actionType, one.immutable]),
      [
        ['a', 'again', true],
        ['b', 'approved', true],
      ],
    )
  })

  it('needs a document, which may be declared', async () => {
    assert.equal(refused(await add('nope', custom('a')), 'NOT_FOUND').reason, 'document_does_not_exist')
    await acme.grant('document', 'declared', 'ada')
    await added('declared', custom('a'))
    assert.deepEqual(await ids({ documentId: 'declared' }), ['a'])
  })

  it('shows the newest profile of the user over the given fields', async () => {
    await added('d', custom('a', { actionUser: { ...ada, team: 'x' } }))
    await acme.key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada Lovelace' }] })
    const [{ actionUser }] = await get()
    assert.deepEqual(actionUser, { userId: 'ada', name: 'Ada Lovelace', team: 'x' })
  })
})

describe('activities.get', () => {
  beforeEach(async () => {
    await added('d', custom('a'), custom('b', { actionUser: { userId: 'bob' }, targetEntityId: 't' }))
    await sleep(5)
    await added('e', custom('c'), custom('d', { featureType: 'comment', actionType: 'added' }))
  })

  it('lists by time, the newest first or with order asc the oldest', async () => {
    assert.deepEqual(await ids(), ['d', 'c', 'b', 'a'])
    assert.deepEqual(await ids({ order: 'desc' }), ['d', 'c', 'b', 'a'])
    assert.deepEqual(await ids({ order: 'asc' }), ['a', 'b', 'c', 'd'])
  })

  it('returns activities that match all filters', async () => {
    const cases: [object, string[]][] = [
      [{ documentId: 'd' }, ['b', 'a']],
      [{ targetEntityId: 't' }, ['b']],
      [{ targetEntityId: 'budget', documentId: 'd' }, ['a']],
      [{ featureTypes: ['comment'] }, ['d']],
      [{ featureTypes: ['comment', 'custom'], actionTypes: ['approved'] }, ['c', 'b', 'a']],
      [{ userId: 'bob' }, ['b']],
      [{ userId: 'bob', documentId: 'e' }, []],
      [{ activityIds: ['a', 'd', 'nope'] }, ['d', 'a']],
      [{ activityIds: ['a', 'd'], userId: 'ada', documentId: 'd' }, ['a']],
    ]
    for (const [filters, expected] of cases) assert.deepEqual(await ids(filters), expected, JSON.stringify(filters))
  })

  it('pages with result.pageToken, in both orders and with any filters, and has none on the last page', async () => {
    for (const filters of [
      {},
      { order: 'asc' },
      { actionTypes: ['approved'] },
      { documentId: 'e' },
      { userId: 'ada' },
    ]) {
      const all = await ids(filters)
      const seen: string[] = []
      for (let pageToken: string | undefined; ; ) {
        const { result } = (await acme.post(getActivities, { ...filters, pageSize: 1, pageToken })).body
        seen.push(...result.data.map(({ id }: { id: string }) => id))
        assert.equal(result.nextPageToken, result.pageToken)
        pageToken = result.pageToken
        if (pageToken === undefined) break
        refusedField(await acme.post(getActivities, { ...filters, targetEntityId: 'x', pageToken }), 'pageToken')
      }
      assert.deepEqual(seen, all)
    }
    refusedField(await acme.post(getActivities, { pageSize: 0 }), 'pageSize')
  })

  it('reports an organization or document that does not exist', async () => {
    const reason = async (data: object) => refused(await acme.post(getActivities, data), 'NOT_FOUND').reason
    assert.equal(await reason({ organizationId: 'nope' }), 'organization_does_not_exist')
    assert.equal(await reason({ documentId: 'nope' }), 'document_does_not_exist')
  })
})

describe('activities.update and activities.delete', () => {
  const update = (...activities: object[]) => acme.call(updateActivities, { activities })
  const remove = (data: object) => acme.call(deleteActivities, data)
  const missing = { success: false, message: 'The activity does not exist.', code: 'not-found', retryable: false }
  const frozen = {
    success: false,
    message: 'The activity is immutable.',
    code: 'failed-precondition',
    retryable: false,
  }

  it('replace the given fields; null clears', async () => {
    await added('d', custom('a', { entityData: { x: 1 }, actionIcon: 'x', displayMessageTemplate: 'y' }))
    const answer = await update(
      { id: 'a', changes: { n: { to: 1 } }, entityData: [2], actionIcon: null },
      { id: 'nope' },
    )
    assert.deepEqual(answer, {
      a: { success: true, id: 'a', message: 'Activity updated successfully.' },
      nope: { id: 'nope', ...missing },
    })
    const [activity] = await get()
    assert.deepEqual(
      [activity.changes, activity.entityData, activity.actionIcon, activity.displayMessageTemplate],
      [{ n: { to: 1 } }, [2], undefined, 'y'],
    )
    await update({ id: 'a', displayMessageTemplateData: { x: 1 } })
    await update({
      id: 'a',
      changes: null,
      entityData: null,
      displayMessageTemplate: null,
      displayMessageTemplateData: null,
    })
    const [cleared] = await get()
    for (const name of ['changes', 'entityData', 'displayMessageTemplate', 'displayMessageTemplateData'])
      assert.equal(name in cleared, false, name)
    for (const field of ['actionType', 'actionUser', 'timestamp', 'immutable', 'targetEntityId'])
      refusedField(
        await acme.post(updateActivities, { activities: [{ id: 'a', [field]: 'x' }] }),
        `activities[0].${field}`,
      )
  })

  it('delete by document, target or ids, all of which must match', async () => {
    await added('d', custom('a'), custom('b', { targetEntityId: 't' }), custom('c'))
    await added('e', custom('x'), custom('y', { targetEntityId: 't' }))
    refusedField(await acme.post(deleteActivities, {}), 'documentId')
    assert.deepEqual(await remove({ activityIds: ['a', 'y', 'nope'], documentId: 'd' }), {
      a: { success: true, id: 'a', message: 'Activity deleted successfully.' },
      y: { id: 'y', ...missing },
      nope: { id: 'nope', ...missing },
    })
    assert.deepEqual(Object.keys(await remove({ targetEntityId: 't', documentId: 'd' })), ['b'])
    assert.deepEqual(Object.keys(await remove({ documentId: 'd' })), ['c'])
    assert.deepEqual(Object.keys(await remove({ targetEntityId: 'budget' })), ['x'])
    assert.deepEqual(await ids(), ['y'])
    assert.equal(
      refused(await acme.post(deleteActivities, { documentId: 'nope' }), 'NOT_FOUND').reason,
      'document_does_not_exist',
    )
  })

  it('fail for immutable activities and change the others', async () => {
    await added('d', custom('a'))
    await immutable(true)
    await added('d', custom('b'))
    const updated = await update({ id: 'a', actionIcon: 'x' }, { id: 'b', actionIcon: 'x' })
    assert.deepEqual([updated.a.success, updated.b], [true, { id: 'b', ...frozen }])
    const deleted = await remove({ documentId: 'd' })
    assert.deepEqual([deleted.a.success, deleted.b], [true, { id: 'b', ...frozen }])
    assert.deepEqual(await ids(), ['b'])
  })
})

describe('activities of a document', () => {
  it('follow it to another folder and id, and are deleted with it', async () => {
    await added('d', custom('a'))
    await acme.grant('document', 'new', 'ada')
    await added('new', custom('b'))
    await acme.call(moveDocuments, { documentIds: ['d'], folderId: 'f' })
    await completeMigration(acme.key, { organizationId, documentId: 'd', newDocumentId: 'new' })
    const activities = await get({ documentId: 'new', order: 'asc' })
    assert.deepEqual(
      activities.map(({ id, metadata }: Record<string, Record<string, unknown>>) => [id, metadata?.folderId]),
      [
        ['a', 'f'],
        ['b', 'f'],
      ],
    )
    await acme.call(deleteDocuments, { documentIds: ['new'] })
    assert.deepEqual(await ids(), [])
  })

  it('forget users who are erased, also immutable ones', async () => {
    await immutable(true)
    await added('d', custom('a', { entityData: { by: 'Ada' } }), custom('b', { actionUser: { userId: 'bob' } }))
    await completeErasure(acme.key, { userIds: ['ada'] })
    const [b, a] = await get()
    assert.deepEqual([b.id, b.actionUser], ['b', { userId: 'bob' }])
    assert.match(a.actionUser.userId, /^erased:/)
    assert.deepEqual([a.actionUser.name, a.entityData, a.targetEntityId], [undefined, undefined, 'budget'])
  })
})

describe('activities of comments', () => {
  const root = { from: ada, commentText: 'secret', triggerActivities: true }
  const thread = (comment: object = {}) =>
    acme.call(addThreads, {
      documentId: 'd',
      commentAnnotations: [{ annotationId: 't', commentData: [{ commentId: 7, ...root, ...comment }] }],
    })

  it('are recorded in the transaction of the comment, name thread and comment, and copy no text', async () => {
    await thread()
    const [{ id: _, timestamp: __, metadata: ___, ...activity }] = await acme.call(getActivities, { documentId: 'd' })
    assert.deepEqual(activity, {
      featureType: 'comment',
      actionType: 'comment_annotation.add',
      actionUser: ada,
      targetEntityId: 't',
      targetSubEntityId: '7',
      displayMessageTemplate: '{{actionUser.name}} started a thread',
      immutable: false,
    })
  })

  it('are recorded only if the call asks for it, and neither the service nor the trigger is off', async () => {
    await thread({ triggerActivities: false })
    const configure = (activityServiceConfig: object) => acme.key.call(updateActivityConfig, { activityServiceConfig })
    await acme.call(deleteThreads, { documentId: 'd' })
    await configure({ triggers: { comment: { newlyAdded: false } } })
    await thread()
    await acme.call(deleteThreads, { documentId: 'd' })
    await configure({ triggers: { comment: { newlyAdded: true } }, isEnabled: false })
    await thread()
    assert.deepEqual(await acme.call(getActivities, { documentId: 'd' }), [])
  })
})
