/** `permissions.explain` of threads: whether a user sees one, and why (rules/comments.md#visibility). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ThreadInput } from '#contract/comments/inputs.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, newKeyWithDocuments, organizationId } from '#testing/threads.ts'
import { refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
const roadmap = { type: 'document' as const, id: 'roadmap', organizationId }
const organization = { type: 'organization' as const, id: organizationId }
const ofThread = async (userId: string, annotationId: string) =>
  (await key.call(explainPermissions, { userId, resource: roadmap, annotationId })).thread

beforeAll(async () => {
  key = await newKeyWithDocuments(server)
  await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap'], accessType: 'restricted' })
  const grant = (userId: string, ...resources: (typeof roadmap | typeof organization)[]) =>
    key.call(addPermissions, { user: { userId }, permissions: { resources } })
  await grant('ada', roadmap)
  await grant('bob', roadmap, organization)
  await grant('zoe', roadmap)
  const threads: Record<string, Partial<ThreadInput>> = {
    open: {},
    private: { visibility: { type: 'restricted', userIds: ['zoe'] } },
    members: { visibility: { type: 'organizationPrivate', organizationId } },
    context: { context: { access: { team: 'a' } } },
  }
  for (const [annotationId, fields] of Object.entries(threads)) await addThread(key, { annotationId, ...fields })
})

describe('permissions.explain with annotationId', () => {
  const CASES: [user: string, thread: string, visible: boolean, reason: string, sentence: string][] = [
    ['bob', 'open', true, 'public', 'it is public, so everybody with access to the document sees it'],
    ['ada', 'private', true, 'author', 'the user is its author'],
    ['zoe', 'private', true, 'named', 'its visibility names the user'],
    ['bob', 'private', false, 'not_named', 'it is restricted to its author and the users whom its visibility names'],
    ['bob', 'members', true, 'member', 'it is for members of organization "acme", and the user has a live grant on it'],
    [
      'zoe',
      'members',
      false,
      'not_member',
      'it is for members of organization "acme", and the user has no live grant on it',
    ],
    [
      'ada',
      'context',
      false,
      'access_context',
      'it has an access context, which calls have no context of the user to compare with',
    ],
    ['eve', 'open', false, 'document_not_open', 'the user has no access to the document'],
  ]
  for (const [userId, annotationId, visible, reason, because] of CASES)
    it(`says that ${userId} ${visible ? 'sees' : 'does not see'} the thread ${annotationId}: ${reason}`, async () => {
      const sees = visible ? 'sees' : 'does not see'
      const sentence = `User "${userId}" ${sees} thread "${annotationId}": ${because}.`
      assert.deepEqual(await ofThread(userId, annotationId), { annotationId, visible, reason, sentence })
    })

  it('reports a thread that does not exist', async () => {
    const sentence = 'There is no thread "absent" on document "roadmap".'
    const expected = { annotationId: 'absent', visible: false, reason: 'does_not_exist', sentence }
    assert.deepEqual(await ofThread('ada', 'absent'), expected)
  })

  it('needs a document, and without it reveals nothing about threads', async () => {
    const data = { userId: 'ada', resource: organization, annotationId: 'open' }
    refusedField(await key.post(explainPermissions.path, data), 'annotationId')
    const { thread } = await key.call(explainPermissions, { userId: 'ada', resource: roadmap })
    assert.equal(thread, undefined)
  })
})
