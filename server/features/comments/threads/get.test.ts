/** `commentannotations/get`: every filter, pages, groups and unknown ids. */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import type { ThreadInput } from '#contract/comments/inputs.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()

type Query = Partial<DataOf<typeof getThreads>>
const idsOf = (threads: unknown) =>
  (threads as ({ annotationId: string } | null)[]).map((one) => one?.annotationId ?? null)
const found = async (key: Client, query: Query) => idsOf(await key.call(getThreads, { organizationId, ...query }))

const agent = {
  agentSource: 'external',
  agentId: 'linter',
  agentName: 'Linter',
  executionId: 'run-1',
  reason: { title: 'T', description: 'D', severity: 'low' },
} as const
const DONE = { id: 'DONE', name: 'Done', type: 'terminal', color: '#0f0', lightColor: '#efe', svg: '<svg/>' } as const

/** Threads with times one millisecond apart, so that their order is known. */
const THREADS: Record<string, Partial<ThreadInput> & { documentId?: string }> = {
  a: { location: { id: 'top' }, assignedTo: { userId: 'zoe' } },
  b: {
    commentData: [
      comment('bob'),
      comment('eve', { taggedUserContacts: [{ userId: 'zoe', contact: { userId: 'zoe' } }] }),
    ],
  },
  c: {
    status: DONE,
    priority: { id: 'P1', name: 'High', color: '#f00', lightColor: '#fee' },
    assignedTo: { userId: 'zoe' },
  },
  d: {
    documentId: 'plan',
    location: { id: 'end' },
    priority: { id: 'P2', name: 'Low', color: '#f00', lightColor: '#fee' },
    commentData: [comment('ada', { commentText: `by ada${' and so on'.repeat(120)} at the end` })],
  },
  e: {
    commentData: [
      comment('bot', { agent }),
      comment('bot', { commentText: '', commentHtml: '<strong>bold</strong>est' }),
    ],
    type: 'suggestion',
    suggestion: { newValue: 1 },
  },
  f: { commentData: [comment('bot', { agent: { ...agent, agentId: 'other', executionId: 'run-2' } })] },
}
const START = 1_700_000_000_000

describe('a read of threads', () => {
  let key: Client
  beforeAll(async () => {
    key = await newKeyWithDocuments(server)
    const inFolder = { organizationId, folderId: 'f', createFolder: true, documents: [{ documentId: 'inside' }] }
    await key.call(addDocuments, inFolder)
    for (const [nth, [annotationId, { documentId = 'roadmap', ...thread }]] of Object.entries(THREADS).entries())
      await addThread(
        key,
        { annotationId, createdAt: START + nth, lastUpdated: START + 100 - nth, ...thread },
        { documentId },
      )
    await addThread(key, { annotationId: 'g', createdAt: START + 7, lastUpdated: START }, { documentId: 'inside' })
  })

  it('is of a document, of several, or of the whole organization, by lastUpdated, the newest first', async () => {
    assert.deepEqual(await found(key, {}), ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    assert.deepEqual(await found(key, { order: 'asc' }), ['g', 'f', 'e', 'd', 'c', 'b', 'a'])
    assert.deepEqual(await found(key, { documentId: 'plan' }), ['d'])
    assert.deepEqual(await found(key, { documentIds: ['plan', 'inside', 'unknown'] }), ['d', 'g'])
    assert.deepEqual(await found(key, { documentIds: ['plan', 'inside'], order: 'asc' }), ['g', 'd'])
    assert.deepEqual(await found(key, { documentIds: ['unknown'] }), [])
  })

  it('has the threads of the documents in a folder', async () => {
    assert.deepEqual(await found(key, { folderId: 'f' }), ['g'])
    const unknown = await key.post(getThreads.path, { organizationId, folderId: 'unknown' })
    assert.equal(refused(unknown, 'NOT_FOUND').reason, 'folder_does_not_exist')
  })

  it('returns null at the position of an unknown id', async () => {
    assert.deepEqual(await found(key, { annotationIds: ['c', 'unknown', 'a'] }), ['c', null, 'a'])
    assert.deepEqual(await found(key, { annotationIds: ['c', 'a'], statusIds: ['DONE'] }), ['c', null])
    assert.deepEqual(await found(key, { annotationIds: ['c', 'd'], documentId: 'plan' }), [null, 'd'])
  })

  it('returns a list for each document with groupByDocumentId', async () => {
    const grouped = await key.call(getThreads, { organizationId, groupByDocumentId: true })
    const ids = Object.fromEntries(Object.entries(grouped).map(([id, threads]) => [id, idsOf(threads)]))
    assert.deepEqual(ids, { roadmap: ['a', 'b', 'c', 'e', 'f'], plan: ['d'], inside: ['g'] })
    const some = { organizationId, groupByDocumentId: true, annotationIds: ['d', 'unknown'] }
    assert.deepEqual(Object.keys(await key.call(getThreads, some)), ['plan'])
  })

  const FILTERS: [what: string, query: Query, ids: string[]][] = [
    ['locationIds', { locationIds: ['top', 'end'] }, ['a', 'd']],
    ['userIds, the authors', { userIds: ['bob', 'eve'] }, ['b']],
    ['mentionedUserIds, in any comment', { mentionedUserIds: ['zoe', 'nobody'] }, ['b']],
    ['resolvedBy, which never matches a thread that was resolved without it', { resolvedBy: 'ada' }, []],
    ['statusIds', { statusIds: ['DONE', 'LATER'] }, ['c']],
    ['statusId', { statusId: 'DONE' }, ['c']],
    ['statusTypes', { statusTypes: ['terminal', 'ongoing'] }, ['c']],
    [
      'statusTypes, of which the first is that of new threads',
      { statusTypes: ['default'], locationIds: ['end'] },
      ['d'],
    ],
    ['priorityIds', { priorityIds: ['P1', 'P2'] }, ['c', 'd']],
    ['priorityIds, of which none is known', { priorityIds: ['p1'] }, []],
    ['assignedUserIds', { assignedUserIds: ['zoe', 'nobody'] }, ['a', 'c']],
    ['text, without regard to case and accents', { text: 'BOLDÉST' }, ['e']],
    ['text, and not the tags of HTML', { text: 'strong' }, []],
    ['text after the first thousand characters', { text: 'at THE end' }, ['d']],
    ['text of several comments and a status', { text: 'by', statusTypes: ['terminal'] }, ['c']],
    ['both, which must both match', { statusId: 'DONE', statusIds: ['OPEN'] }, []],
    ['updatedAfter, exclusive', { updatedAfter: START + 98 }, ['a', 'b']],
    ['updatedBefore, exclusive', { updatedBefore: START + 96 }, ['f', 'g']],
    ['createdAfter, exclusive', { createdAfter: START + 4 }, ['f', 'g']],
    ['createdBefore, exclusive', { createdBefore: START + 1 }, ['a']],
    ['agentId', { agentId: 'linter' }, ['e']],
    ['executionId', { executionId: 'run-2' }, ['f']],
    ['agentType external', { agentType: 'external' }, ['e', 'f']],
    ['agentType custom: there are none', { agentType: 'custom' }, []],
    ['agentSource external', { agentSource: 'external' }, ['e', 'f']],
    ['agentSource service: there are none', { agentSource: 'service' }, []],
    ['agentSuggestions, the pending ones', { agentSuggestions: true }, ['e']],
    ['agentComments, all of them', { agentComments: true }, ['e', 'f']],
    ['several filters, which must all match', { userIds: ['ada'], documentId: 'roadmap', locationIds: ['top'] }, ['a']],
  ]
  for (const [what, query, ids] of FILTERS)
    it(`filters by ${what}`, async () => {
      assert.deepEqual(await found(key, query), ids)
    })

  it('takes one agent filter at most', async () => {
    for (const query of [
      { agentId: 'linter', agentType: 'external' },
      { agentSource: 'external', agentComments: true },
    ]) {
      const [, second = ''] = Object.keys(query)
      refusedField(await key.post(getThreads.path, { organizationId, ...query }), second)
    }
    assert.deepEqual(await found(key, { agentId: 'linter', agentComments: false }), ['e'])
  })

  it('refuses 31 ids, documentId beside documentIds, and a page of named threads', async () => {
    const ids = Array.from({ length: 31 }, (_, nth) => `id${nth}`)
    for (const name of [
      'documentIds',
      'annotationIds',
      'locationIds',
      'userIds',
      'statusIds',
      'priorityIds',
      'assignedUserIds',
    ])
      refusedField(await key.post(getThreads.path, { organizationId, [name]: ids }), name)
    refusedField(await key.post(getThreads.path, { ...ON_ROADMAP, documentIds: ['plan'] }), 'documentIds')
    refusedField(await key.post(getThreads.path, { organizationId, annotationIds: ['a'], pageToken: 'x' }), 'pageToken')
  })

  it('reports an unknown organization or document', async () => {
    const post = async (query: object) => refused(await key.post(getThreads.path, query), 'NOT_FOUND').reason
    assert.equal(await post({ organizationId: 'unknown' }), 'organization_does_not_exist')
    assert.equal(await post({ organizationId, documentId: 'unknown' }), 'document_does_not_exist')
  })

  for (const order of ['desc', 'asc'] as const)
    for (const [what, query] of [
      ['an organization', {}],
      ['documents', { documentIds: ['roadmap', 'plan', 'inside'] }],
      ['a filter', { userIds: ['ada', 'bot'] }],
    ] as [string, Query][])
      it(`has pages of any size, of ${what}, ${order}`, async () => {
        const all = await found(key, { ...query, order })
        for (const pageSize of [1, 2, 5]) {
          const ids: (string | null)[] = []
          for (let pageToken: string | undefined; ; ) {
            const { body } = await key.post(getThreads.path, {
              organizationId,
              ...query,
              order,
              pageSize,
              ...(pageToken && { pageToken }),
            })
            assert.ok(body.result.data.length <= pageSize)
            ids.push(...idsOf(body.result.data))
            pageToken = body.result.nextPageToken
            if (pageToken === undefined) break
          }
          assert.deepEqual(ids, all)
        }
      })

  it('takes a page token only with the query that it came from', async () => {
    const { body } = await key.post(getThreads.path, { organizationId, pageSize: 1 })
    const pageToken = body.result.nextPageToken
    const other = await key.post(getThreads.path, { organizationId, pageSize: 1, order: 'asc', pageToken })
    assert.equal(refused(other, 'INVALID_ARGUMENT').reason, 'page_token_invalid')
  })

  it('names the document, its folder and the organization as the caller does', async () => {
    const [thread] = (await key.call(getThreads, { organizationId, annotationIds: ['g'] })) as { metadata: object }[]
    const apiKey = key.headers['x-service-api-key']
    assert.deepEqual(thread?.metadata, { apiKey, organizationId, documentId: 'inside', folderId: 'f' })
  })
})

describe('a page of threads', () => {
  it('ends early after two megabytes, and continues with the next thread', async () => {
    const key = await newKeyWithDocuments(server)
    const commentData = Array.from({ length: 30 }, () =>
      comment('ada', { commentText: 'x'.repeat(LIMITS.commentTextCharactersMax) }),
    )
    for (const annotationId of ['a', 'b', 'c', 'd']) await addThread(key, { annotationId, commentData })
    const { body } = await key.post(getThreads.path, { organizationId })
    assert.deepEqual(idsOf(body.result.data), ['d', 'c', 'b'])
    const rest = await key.post(getThreads.path, { organizationId, pageToken: body.result.nextPageToken })
    assert.deepEqual([idsOf(rest.body.result.data), rest.body.result.nextPageToken], [['a'], undefined])
  })
})
