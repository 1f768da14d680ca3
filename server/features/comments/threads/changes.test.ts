/** `commentannotations/update` and `/delete`. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const DONE = { id: 'DONE', name: 'Done', type: 'terminal' } as const
const OPEN = { id: 'OPEN', name: 'Open', type: 'default' } as const
const agent = {
  agentSource: 'external',
  agentId: 'linter',
  agentName: 'Linter',
  url: 'https://app.example.com/page#top',
  reason: { title: 'T', description: 'D', severity: 'low' },
} as const

type Change = NonNullable<DataOf<typeof updateThreads>['updatedData']>

/** Changes the thread `a` and reads it. */
async function changed(key: Client, updatedData: Change): Promise<ThreadRecord> {
  await key.call(updateThreads, { ...ON_ROADMAP, annotationIds: ['a'], updatedData })
  return readThread(key, 'a')
}
async function newKeyWithThread(fields: object = {}): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  await addThread(key, { annotationId: 'a', createdAt: 1_000, lastUpdated: 1_000, ...fields })
  return key
}
const idsIn = async (key: Client) =>
  ((await key.call(getThreads, { organizationId, order: 'asc' })) as ThreadRecord[])
    .map((one) => one.annotationId)
    .sort()

describe('threads.update', () => {
  it('replaces each key as a whole, keeps the others, and moves lastUpdated', async () => {
    const key = await newKeyWithThread({
      location: { id: 'x', locationName: 'X' },
      context: { access: { team: 'red' }, note: 1 },
      priority: { id: 'P1', name: 'High', color: '#f00', lightColor: '#fee' },
    })
    const thread = await changed(key, {
      location: { id: 'y' },
      context: { access: { level: 2 } },
      assignedTo: { userId: 'bob' },
      actions: [{ id: 'go' }],
      targetElement: { elementId: 'p' },
    })
    assert.deepEqual(
      [thread.location, thread.assignedTo, thread.actions],
      [{ id: 'y' }, { userId: 'bob' }, [{ id: 'go' }]],
    )
    assert.deepEqual(thread.context as unknown, { access: { level: 2 }, accessFields: ['level:2'] })
    assert.deepEqual([thread.priority?.id, thread.targetElement], ['P1', { elementId: 'p' }])
    assert.ok(thread.lastUpdated > 1_000)
    const times = await changed(key, { createdAt: 2_000, lastUpdated: 3_000 })
    assert.deepEqual([times.createdAt, times.lastUpdated], [2_000, 3_000])
  })

  it('statusUpdatedByUserId and resolvedByUserId: null clears, absent keeps, a status alone sets neither', async () => {
    const key = await newKeyWithThread()
    const closed = await changed(key, { status: DONE })
    assert.deepEqual([closed.resolvedByUserId, closed.statusUpdatedByUserId], [undefined, undefined])
    const named = await changed(key, { resolvedByUserId: 'bob', statusUpdatedByUserId: 'eve' })
    assert.deepEqual(
      [named.resolvedByUserId, named.resolvedByUser, named.statusUpdatedByUserId],
      ['bob', { userId: 'bob' }, 'eve'],
    )
    assert.equal((await changed(key, { priority: { id: 'P', name: 'P' } })).resolvedByUserId, 'bob')
    const found = await key.call(getThreads, { organizationId, resolvedBy: 'bob' })
    assert.equal((found as unknown[]).length, 1)
    const cleared = await changed(key, { resolvedByUserId: null, statusUpdatedByUserId: null })
    assert.deepEqual(
      [cleared.resolvedByUserId, cleared.resolvedByUser, cleared.statusUpdatedByUserId],
      [undefined, undefined, undefined],
    )
  })

  it('null clears what a thread can be without: nobody is assigned, and nothing else has changed', async () => {
    const fields = {
      location: { id: 'x' },
      targetElement: { elementId: 'p' },
      assignedTo: { userId: 'bob' },
      priority: { id: 'P1', name: 'High', color: '#f00', lightColor: '#fee' },
      actions: [{ id: 'go' }],
    }
    const key = await newKeyWithThread(fields)
    const names = Object.keys(fields) as (keyof typeof fields)[]
    const cleared = await changed(key, Object.fromEntries(names.map((name) => [name, null])))
    assert.deepEqual(
      names.map((name) => cleared[name]),
      names.map(() => undefined),
    )
    assert.deepEqual([cleared.locationId, cleared.involvedUserIds], [undefined, ['ada']])
    for (const filter of [{ assignedUserIds: ['bob'] }, { priorityIds: ['P1'] }, { locationIds: ['x'] }])
      assert.deepEqual(await key.call(getThreads, { organizationId, ...filter }), [])
    const { events } = await key.call(listEvents, { organizationId, types: ['thread.*'] })
    assert.deepEqual(
      events.filter(({ type }) => type === 'thread.assigned').map(({ after }) => after),
      [{ annotationId: 'a', assigned: false }],
    )
    for (const name of ['status', 'visibility', 'context', 'from'])
      refusedField(
        await key.post(updateThreads.path, { ...ON_ROADMAP, updatedData: { [name]: null } }),
        `updatedData.${name}`,
      )
  })

  it('times that are stored already change nothing, and have no event', async () => {
    const key = await newKeyWithThread()
    const before = await readThread(key, 'a')
    assert.deepEqual(await changed(key, { createdAt: 1_000 }), before)
    assert.deepEqual(await changed(key, { lastUpdated: 1_000 }), before)
    const { events } = await key.call(listEvents, { organizationId, types: ['thread.updated'] })
    assert.deepEqual(events, [])
  })

  it('a status that is not terminal clears resolvedByUserId, even one of the same call; statusUpdatedByUserId stays', async () => {
    const key = await newKeyWithThread()
    await changed(key, { status: DONE, resolvedByUserId: 'bob', statusUpdatedByUserId: 'bob' })
    const open = await changed(key, { status: OPEN, resolvedByUserId: 'eve' })
    assert.deepEqual(
      [open.resolvedByUserId, open.resolvedByUser, open.statusUpdatedByUserId],
      [undefined, undefined, 'bob'],
    )
  })

  it('suggestion.status counts here; other types have no suggestion', async () => {
    const key = await newKeyWithThread({ type: 'suggestion', suggestion: { oldValue: 1, newValue: 2 } })
    const accepted = await changed(key, { suggestion: { newValue: 3, status: 'accepted' } })
    assert.deepEqual(accepted.suggestion, { newValue: 3, status: 'accepted' })
    const plain = await newKeyWithThread()
    assert.equal((await changed(plain, { suggestion: { status: 'accepted' } })).suggestion, undefined)
  })

  it('changing the visibility leaves the context, and lists the author', async () => {
    const key = await newKeyWithThread({ context: { access: { team: 'red' } } })
    const thread = await changed(key, { visibility: { type: 'restricted', userIds: ['bob'] } })
    assert.deepEqual(thread.visibilityConfig, { type: 'restricted', userIds: ['bob', 'ada'] })
    assert.deepEqual(thread.context?.access, { team: 'red' })
    assert.deepEqual((await changed(key, { visibility: { type: 'public' } })).visibilityConfig, { type: 'public' })
    const answer = await key.post(updateThreads.path, {
      ...ON_ROADMAP,
      updatedData: { visibility: { type: 'restricted' } },
    })
    refusedField(answer, 'updatedData.visibility.userIds')
  })

  it('changes the threads that match all filters, or every thread of the document', async () => {
    const key = await newKeyWithThread({ location: { id: 'x' } })
    await addThread(key, { annotationId: 'b', location: { id: 'x' }, commentData: [comment('bob')] })
    await addThread(key, { annotationId: 'c' }, { documentId: 'plan' })
    const update = (fields: object) =>
      key.call(updateThreads, { ...ON_ROADMAP, updatedData: { status: DONE }, ...fields })
    assert.deepEqual(Object.keys(await update({ locationIds: ['x'], userIds: ['bob'] })), ['b'])
    assert.deepEqual(Object.keys(await update({})), ['a', 'b'])
    const results = await update({ annotationIds: ['a', 'unknown', 'c'] })
    assert.deepEqual(results.a, { success: true, id: 'a', message: 'Comment annotation updated successfully.' })
    assert.deepEqual([results.unknown?.success, results.c?.success], [false, false])
    assert.equal((await readThread(key, 'c')).status.id, 'OPEN')
  })

  it('tells which fields have changed, also those that are told by events of their own in most cases', async () => {
    const done = { ...DONE, color: '#000', lightColor: '#fff', svg: '<svg/>' }
    const key = await newKeyWithThread({ status: done, location: { id: 'x' }, assignedTo: { userId: 'bob' } })
    const told = async (updatedData: object) => {
      const before = (await key.call(listEvents, { types: ['thread.*'] })).events.length
      await key.call(updateThreads, { ...ON_ROADMAP, updatedData })
      const { events } = await key.call(listEvents, { types: ['thread.*'] })
      return events
        .slice(0, events.length - before)
        .map(({ type, after = {} }) => [type, (after as { fields?: string[] }).fields])
    }
    assert.deepEqual(await told({ status: { ...done, name: 'Finished' } }), [['thread.updated', ['status']]])
    assert.deepEqual(await told({ resolvedByUserId: 'bob' }), [['thread.updated', ['resolvedByUserId']]])
    assert.deepEqual(await told({ assignedTo: { userId: 'bob', name: 'Bob' } }), [['thread.updated', ['assignedTo']]])
    assert.deepEqual(
      await told({ location: { id: 'x' }, priority: { id: 'P1', name: 'High', color: '', lightColor: '' } }),
      [['thread.priority_changed', undefined]],
    )
    assert.deepEqual(await told({ location: { id: 'y' }, createdAt: 2_000 }), [
      ['thread.updated', ['location', 'createdAt']],
    ])
    assert.deepEqual(await told({ location: { id: 'y' } }), [])
    assert.deepEqual(await told({ location: { id: 'z' }, createdAt: 2_000 }), [['thread.updated', ['location']]])
  })

  it('updateUsers replaces the old user everywhere', async () => {
    const tag = { userId: 'ada', contact: { userId: 'ada' } }
    const key = await newKeyWithThread({
      commentData: [comment('ada'), comment('bob', { commentText: 'Hi {{ada}}', taggedUserContacts: [tag] })],
      assignedTo: { userId: 'ada' },
      visibility: { type: 'restricted', userIds: ['ada'] },
    })
    const updateUsers = [{ oldUser: { userId: 'ada' }, newUser: { userId: 'zoe', name: 'Zoe' } }]
    await key.call(updateThreads, { ...ON_ROADMAP, updateUsers })
    const thread = await readThread(key, 'a')
    const zoe = { userId: 'zoe', name: 'Zoe' }
    assert.deepEqual([thread.from, thread.assignedTo, thread.comments[0]?.from], [zoe, zoe, zoe])
    assert.deepEqual([thread.comments[1]?.commentText, thread.comments[1]?.to], ['Hi {{zoe}}', [zoe]])
    assert.deepEqual([thread.mentionedUserIds, thread.visibilityConfig.userIds], [['zoe'], ['zoe']])
    assert.doesNotMatch(JSON.stringify(thread), /"ada"/)
    assert.equal(Object.keys(thread.subscribedUsers).length, 2)
  })

  it('updateUsers replaces all at once, so that a cycle exchanges users', async () => {
    const key = await newKeyWithThread({ commentData: [comment('ada'), comment('bob'), comment('eve')] })
    const pair = (oldUser: string, newUser: string) => ({ oldUser: { userId: oldUser }, newUser: { userId: newUser } })
    await key.call(updateThreads, {
      ...ON_ROADMAP,
      updateUsers: [pair('ada', 'bob'), pair('bob', 'eve'), pair('eve', 'ada'), pair('x', 'x')],
    })
    const thread = await readThread(key, 'a')
    assert.deepEqual(
      thread.comments.map(({ from }) => from.userId),
      ['bob', 'eve', 'ada'],
    )
    assert.equal(Object.keys(thread.subscribedUsers).length, 3)
  })

  it('updateUsers mentions a user once who replaces two', async () => {
    const taggedUserContacts = ['ada', 'bob'].map((userId) => ({ userId, contact: { userId } }))
    const key = await newKeyWithThread({
      commentData: [comment('eve', { commentText: '{{ada}} {{bob}}', taggedUserContacts })],
    })
    const updateUsers = [{ oldUser: { userId: 'bob' }, newUser: { userId: 'ada' } }]
    await key.call(updateThreads, { ...ON_ROADMAP, updateUsers })
    const [replaced] = (await readThread(key, 'a')).comments
    assert.deepEqual(
      [replaced?.commentText, replaced?.taggedUserContacts.length, replaced?.to.length],
      ['{{ada}} {{ada}}', 1, 1],
    )
  })

  it('refuses a call without a change, and names what is unknown', async () => {
    const key = await newKeyWithThread()
    refusedField(await key.post(updateThreads.path, ON_ROADMAP), 'updatedData')
    const updatedData = { status: DONE }
    const unknown = await key.post(updateThreads.path, { organizationId, documentId: 'unknown', updatedData })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'document_does_not_exist')
    refusedField(
      await key.post(updateThreads.path, { ...ON_ROADMAP, updatedData: { status: null } }),
      'updatedData.status',
    )
  })
})

describe('threads.delete', () => {
  const newKeyWithAgents = async () => {
    const key = await newKeyWithThread({ location: { id: 'x' } })
    await addThread(key, { annotationId: 'b', location: { id: 'x' }, commentData: [comment('bob')] })
    const suggestion = { type: 'suggestion', suggestion: {} } as const
    await addThread(key, { annotationId: 'c', commentData: [comment('bot', { agent })], ...suggestion })
    await addThread(key, {
      annotationId: 'd',
      commentData: [comment('bot', { agent: { ...agent, agentId: 'other', url: 'https://x.y/' } })],
    })
    return key
  }

  it('deletes the threads that match all filters', async () => {
    for (const [filter, left] of [
      [{ annotationIds: ['a', 'c'] }, ['b', 'd']],
      [{ locationIds: ['x'], userIds: ['bob'] }, ['a', 'c', 'd']],
      [{ agentId: 'linter' }, ['a', 'b', 'd']],
      [{ agentSuggestions: true }, ['a', 'b', 'd']],
      [{ agentSuggestions: true, agentId: 'other' }, ['a', 'b', 'c', 'd']],
      [{ agentUrls: ['https://app.example.com/page#end', ' ', '#x'] }, ['a', 'b', 'd']],
      [{}, []],
    ] as const) {
      const key = await newKeyWithAgents()
      await key.call(deleteThreads, { ...ON_ROADMAP, ...(filter as object) })
      assert.deepEqual(await idsIn(key), left, JSON.stringify(filter))
    }
  })

  it('refuses agentUrls that name no page, an empty agentId, and a call without organizationId; nothing goes', async () => {
    const key = await newKeyWithAgents()
    const post = (fields: object) => key.post(deleteThreads.path, { ...ON_ROADMAP, ...fields })
    refusedField(await post({ agentUrls: ['', ' #top'] }), 'agentUrls', 'agentUrls must name a page')
    refusedField(await post({ agentUrls: [] }), 'agentUrls')
    refusedField(await post({ agentId: '' }), 'agentId')
    refusedField(await post({ agentSuggestions: false }), 'agentSuggestions', 'agentSuggestions must be true')
    refusedField(await post({ organizationId: undefined }), 'organizationId', 'organizationId is required')
    assert.deepEqual(await idsIn(key), ['a', 'b', 'c', 'd'])
  })

  it('responds as update does: an unknown id has success: false', async () => {
    const key = await newKeyWithAgents()
    const results = await key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: ['a', 'unknown'] })
    assert.deepEqual(results.a, { success: true, id: 'a', message: 'Comment annotation deleted successfully.' })
    assert.deepEqual([results.unknown?.success, results.unknown?.id], [false, 'unknown'])
  })
})
