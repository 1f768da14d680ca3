/** Threads that a service with the same contract returns lose nothing on their way. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import type { CommentInput } from '#contract/comments/inputs.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const folder = temporaryFolder()
const organizationId = 'acme'
const ada = { userId: 'ada', name: 'Ada', team: 'design' }

const COMMENT: CommentInput = {
  commentId: 7,
  from: ada,
  commentText: 'See {{bob}}',
  commentHtml: '<b>See</b> {{bob}}',
  createdAt: 1_700_000_000_000,
  lastUpdated: 1_700_000_000_500,
  taggedUserContacts: [{ userId: 'bob', contact: { userId: 'bob', name: 'Bob' }, text: '@Bob' }],
  context: { sheet: 'A1' },
  progress: { state: 'active', steps: [{ label: 'read', state: 'completed' }] },
  actions: [{ id: 'retry', hidden: true }],
  isCommentTextAvailable: true,
}

const THREAD = {
  annotationId: 'full',
  type: 'suggestion',
  suggestion: { newValue: 4, summary: null, own: [1] },
  location: { id: 'section-2', locationName: 'Section 2', page: 4 },
  targetElement: { elementId: 'p1', targetText: 'price', occurrence: 2, selectAllContent: false },
  status: { id: 'S', name: 'Soon', type: 'ongoing', color: '#111', lightColor: '#eee', iconUrl: 'https://i.example/s' },
  assignedTo: { userId: 'bob', name: 'Bob' },
  priority: { id: 'P1', name: 'High', color: '#f00', lightColor: '#fee' },
  context: { access: { team: 'sales' }, own: 1 },
  visibility: { type: 'restricted', userIds: ['bob'] },
  actions: [{ id: 'go', label: 'Go', metadata: [1, null] }],
  pageInfo: { url: 'https://app.example.com/roadmap', title: 'Roadmap', queryParams: { a: '1' } },
  commentType: 'chart',
  isPageAnnotation: true,
  positionX: 12.5,
  positionY: -3,
  screenWidth: 1_280,
  screenHeight: 800,
  screenScrollHeight: 4_000,
  screenScrollTop: 120,
  createdAt: 1_700_000_000_000,
  lastUpdated: 1_700_000_001_000,
  commentData: [COMMENT, { commentId: 8, from: { userId: 'bob', name: 'Bob' }, commentText: 'Seen' }],
} as const

const NOTIFICATION = {
  notificationId: 'n1',
  actionUser: ada,
  displayHeadlineMessageTemplate: '{actionUser} shared {what}',
  displayHeadlineMessageTemplateData: { what: 'a page' },
  displayBodyMessage: 'See {what}',
  displayBodyMessageTemplate: 'See {what}',
  displayBodyMessageTemplateData: { what: 'it' },
  notifyUsers: [{ userId: 'bob' }],
  notifyAll: false,
  notificationSource: 'custom',
  notificationSourceData: { page: 3 },
  location: { id: 'section-2' },
  metadata: { own: 1 },
  context: { access: { team: 'sales' } },
} as const

describe('move convert', () => {
  it('moves every field that threads and notifications can have, also who may see them', async () => {
    const from = await server.newKey()
    const old = apiKeyClient(server.url, from)
    await old.organizations.add({ organizations: [{ organizationId }] })
    await old.documents.add({ organizationId, documents: [{ documentId: 'd' }] })
    await old.threads.add({ organizationId, documentId: 'd', commentAnnotations: [THREAD as never] })
    const profile = { permissions: { resources: [{ type: 'document', id: 'd', organizationId }] } } as const
    await old.permissions.add({ user: { userId: 'bob' }, ...profile })
    await old.notifications.add({ organizationId, documentId: 'd', ...NOTIFICATION } as never)
    const threads = await old.threads.get({ organizationId })
    const notifications = await old.notifications.get({ organizationId, userId: 'bob' })
    const within = { organizationId }
    const lines = [
      ['organizations/get', {}, { id: organizationId }],
      ['organizations/documents/get', within, { id: 'd' }],
      ['users/get', { ...within, documentId: 'd' }, { userId: 'bob' }],
      ['auth/permissions/get', within, { userId: 'bob', documents: { d: { accessRole: 'editor' } } }],
      ...threads.map((thread) => ['commentannotations/get', within, thread]),
      ...notifications.map((one) => ['notifications/get', { ...within, userId: 'bob' }, one]),
    ].map(([path, within, item]) => ({ record: 'answer', path, in: within, item }))
    const file = [{ record: 'answers', format: 1 }, ...lines, { record: 'end', records: lines.length }]
    const answers = path.join(folder, 'answers.ndjson')
    writeFileSync(answers, file.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const converted = path.join(folder, 'converted.ndjson')
    assert.equal((await cli(['move', 'convert', answers, converted])).code, 0)
    const to = await server.newKey()
    const imported = await cli(['import', converted], environmentOf(server.url, { apiKey: to }))
    assert.equal(imported.code, 0, imported.stderr)
    const client = apiKeyClient(server.url, to)
    const withoutKey = (list: readonly unknown[]) =>
      (list as { metadata: object }[]).map(({ metadata, ...one }) => ({
        ...one,
        metadata: { ...metadata, apiKey: '' },
      }))
    assert.deepEqual(withoutKey(await client.threads.get({ organizationId })), withoutKey(threads))
    const moved = await client.notifications.get({ organizationId, userId: 'bob' })
    assert.deepEqual(withoutKey(moved), withoutKey(notifications))
  })
})
