/** Listing all grants of an organization, and adding grants for many users in one call. */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants, type ListedGrant, listGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { deleteDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf, newCallers } from '../../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await startServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})
afterAll(() => server.clock.set(null))

const document = (id: string, more: object = {}) => ({ type: 'document', id, organizationId, ...more })
const organization = (more: object = {}) => ({ type: 'organization', id: organizationId, ...more })
const add = (...grants: object[]) => acme.key.post(addGrants.path, { grants })
const list = async (data: object = {}) => (await acme.call(listGrants, data)).grants
const names = async () =>
  (await list()).map(({ type, id, userId }: { type: string; id: string; userId: string }) => `${type} ${id} ${userId}`)

/** Reads all pages of a list; returns the grants and the number of pages. */
async function pages(pageSize: number) {
  const grants: unknown[] = []
  let pageToken: string | undefined
  for (let count = 1; ; count++) {
    const { body } = await acme.post(listGrants, { pageSize, ...(pageToken === undefined ? {} : { pageToken }) })
    grants.push(...body.result.data.grants)
    pageToken = body.result.nextPageToken
    if (pageToken === undefined) return { grants, count }
  }
}

describe('grants.list', () => {
  it('lists role and expiry of every grant: on the organization, on folders, on documents, by ids', async () => {
    await acme.addTree({ plans: 'root' })
    await add(
      { userId: 'bob', ...document('b') },
      { userId: 'ada', ...document('b', { accessRole: 'viewer', expiresAt: 4_000_000_000 }) },
      { userId: 'ada', ...document('Z') },
      { userId: 'ada', type: 'folder', id: 'plans', organizationId },
      { userId: 'bob', ...organization({ accessRole: 'viewer' }) },
      { userId: 'Zoe', ...organization() },
    )
    assert.deepEqual(await list(), [
      { userId: 'Zoe', type: 'organization', id: 'acme', accessRole: 'editor' },
      { userId: 'bob', type: 'organization', id: 'acme', accessRole: 'viewer' },
      { userId: 'ada', type: 'folder', id: 'plans', accessRole: 'editor' },
      { userId: 'ada', type: 'document', id: 'Z', accessRole: 'editor' },
      { userId: 'ada', type: 'document', id: 'b', accessRole: 'viewer', expiresAt: 4_000_000_000 },
      { userId: 'bob', type: 'document', id: 'b', accessRole: 'editor' },
    ])
  })

  it('returns with the history when each grant was given, by whom, and when its user last signed in', async () => {
    const began = Date.now() - 1
    await acme.key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'staff' }] })
    await add(
      { userId: 'ada', ...organization() },
      { groupId: 'staff', ...organization() },
      { userId: 'ada', ...document('d', { accessRole: 'viewer' }) },
      { groupId: 'staff', ...document('d') },
    )
    await acme.key.call(generateToken, { userId: 'ada' })
    const grants: ListedGrant[] = await list({ includeHistory: true })
    assert.equal(grants.length, 4)
    for (const { grantedAt = 0, grantedBy, userId, lastSignInAt = 0 } of grants) {
      assert.ok(grantedAt > began && grantedAt < Date.now() + 60_000, `granted at ${grantedAt}`)
      assert.equal(grantedBy?.apiKey, apiKeyOf(acme.key))
      assert.equal(lastSignInAt >= grantedAt, userId === 'ada')
    }
    assert.ok((await list()).every((grant: ListedGrant) => !('grantedAt' in grant)))
  })

  it('returns with the history when the user was last active: signed in, or wrote a comment', async () => {
    await add(
      { userId: 'ada', ...document('d') },
      { userId: 'bob', ...document('d') },
      { userId: 'cyd', ...document('d') },
    )
    await acme.key.call(generateToken, { userId: 'ada' })
    const commentData = [
      {
        commentText: 'Is this final?',
        from: { userId: 'bob' },
        taggedUserContacts: [{ userId: 'cyd', contact: { userId: 'cyd' } }],
      },
    ]
    const thread = { organizationId, documentId: 'd', createDocument: true, commentAnnotations: [{ commentData }] }
    await acme.key.call(addThreads, thread)
    const [ada, bob, cyd] = await list({ includeHistory: true })
    assert.equal(ada.lastActiveAt, ada.lastSignInAt)
    assert.ok(bob.lastActiveAt >= bob.grantedAt)
    assert.equal('lastSignInAt' in bob, false)
    assert.equal('lastActiveAt' in cyd, false, 'who is mentioned has done nothing')
  })

  it('needs the scope admin for the history, like the events behind it', async () => {
    const { apiKey, workspace } = await newCallers(server.url)
    await apiKey.call(addOrganizations, { organizations: [{ organizationId }] })
    const named = { apiKey: apiKeyOf(apiKey), name: 'reader', scopes: ['read' as const] }
    const { authToken } = await workspace.call(createAuthToken, named)
    const reader = apiKey.with({ ...apiKey.headers, 'x-service-auth-token': authToken.token })
    assert.equal((await reader.post(listGrants.path, { organizationId })).http, 200)
    const answer = await reader.post(listGrants.path, { organizationId, includeHistory: true })
    assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'scope_missing')
  })

  it('returns with the history when a grant was last changed, and no value if it cannot find that', async () => {
    await add({ userId: 'ada', ...document('d', { accessRole: 'viewer' }) })
    await add({ userId: 'ada', ...document('d', { expiresAt: 4_000_000_000 }) })
    const [standing, temporary] = await list({ includeHistory: true })
    assert.ok(standing.grantedAt < temporary.grantedAt, 'each kind has its own history')
    await add({ userId: 'ada', ...document('d') })
    const [changed] = await list({ includeHistory: true })
    assert.ok(changed.grantedAt > temporary.grantedAt)

    await server.db.query('delete from events where user_id = $1', ['ada'])
    const [unknown] = await list({ includeHistory: true })
    assert.deepEqual(unknown, { userId: 'ada', type: 'document', id: 'd', accessRole: 'editor' })
  })

  it('lists expired grants that are not deleted yet', async () => {
    server.clock.set(new Date(1_000_000))
    await add({ userId: 'ada', ...document('a', { expiresAt: 1_001 }) })
    server.clock.set(new Date(1_002_000))
    assert.deepEqual(await names(), ['document a ada'])
    server.clock.set(null)
  })

  it('returns the same grants with any page size', async () => {
    await acme.addTree({ f: 'root', empty: 'root' })
    await acme.addDocuments('f', ...['0', '1', '2', '3', '4', '5'].map((documentId) => ({ documentId })))
    await acme.grant('organization', organizationId, 'a', 'b', 'c')
    await acme.grant('folder', 'f', 'a')
    for (const id of ['1', '3', '5', '9']) await acme.grant('document', id, 'a', 'b', 'c')
    const all = await list()
    assert.equal(all.length, 16)
    for (const pageSize of [1, 2, 3, 4, 15, 16, 17])
      assert.deepEqual((await pages(pageSize)).grants, all, `${pageSize}`)
    assert.equal((await pages(16)).count, 1)
  })

  it('continues after a grant that is revoked between pages, and after its resource is deleted', async () => {
    await acme.grant('document', 'a', 'x', 'y')
    await acme.grant('document', 'b', 'x', 'y')
    const { body } = await acme.post(listGrants, { pageSize: 1 })
    await acme.addDocuments('root', { documentId: 'a' })
    await acme.key.call(deleteDocuments, { organizationId, documentIds: ['a'] })
    const { grants } = await acme.call(listGrants, { pageToken: body.result.nextPageToken })
    assert.deepEqual(
      grants.map(({ id, userId }: { id: string; userId: string }) => id + userId),
      ['bx', 'by'],
    )
  })

  it('continues past resources without grants, in pages that may be empty', async () => {
    const ids = Array.from({ length: 10_500 }, (_, index) => `d${String(index).padStart(5, '0')}`)
    for (let from = 0; from < ids.length; from += 1_000)
      await acme.addDocuments('root', ...ids.slice(from, from + 1_000).map((documentId) => ({ documentId })))
    await acme.grant('document', 'd10400', 'ada')
    const { grants, count } = await pages(1_000)
    assert.equal(count, 2)
    assert.deepEqual(grants, [{ userId: 'ada', type: 'document', id: 'd10400', accessRole: 'viewer' }])
  })

  it('refuses a missing organization', async () => {
    const answer = await acme.post(listGrants, { organizationId: 'nope' })
    assert.equal(refused(answer, 'NOT_FOUND').reason, 'organization_does_not_exist')
  })
})

describe('grants.add', () => {
  it('responds without data', async () => {
    const { http, body } = await add({ userId: 'ada', ...document('d') })
    assert.equal(http, 200)
    assert.equal(body.result.message, 'Grants added successfully.')
    assert.equal('data' in body.result, false)
  })

  it('grants many users in several organizations, creating missing organizations and declaring missing resources', async () => {
    await add(
      { userId: 'ada', ...document('d') },
      { userId: 'bob', type: 'folder', id: 'f', organizationId: 'new', accessRole: 'viewer' },
    )
    const { checks } = await acme.key.call(checkPermissions, {
      checks: [
        { userId: 'ada', resource: { type: 'document', id: 'd', organizationId } },
        { userId: 'bob', resource: { type: 'folder', id: 'f', organizationId: 'new' } },
      ],
    })
    assert.deepEqual(
      checks.map(({ reason, accessRole }) => [reason, accessRole]),
      [
        ['grant', 'editor'],
        ['grant', 'viewer'],
      ],
    )
  })

  it('has the same effect as permissions.add for each user: the same grants and events', async () => {
    const resources = [
      document('a', { accessRole: 'viewer' as const, expiresAt: 4_000_000_000 }),
      organization(),
    ] as const
    const [one, other] = [await newAcme(server), await newAcme(server)]
    const together = await one.events(() =>
      one.key.call(addGrants, {
        grants: ['ada', 'bob'].flatMap((userId) => resources.map((resource) => ({ userId, ...resource }))) as never,
      }),
    )
    const apart = await other.events(async () => {
      for (const userId of ['ada', 'bob'])
        await other.key.call(addPermissions, { user: { userId }, permissions: { resources: resources as never } })
    })
    assert.deepEqual(together, apart)
    assert.deepEqual(await one.call(listGrants), await other.call(listGrants))
  })

  it('lets the last of two grants for one user and resource win, with one event', async () => {
    const grant = { userId: 'ada', ...document('d') }
    const events = await acme.events(() => add({ ...grant, accessRole: 'viewer' }, { ...grant, accessRole: 'editor' }))
    assert.deepEqual(
      events.map(({ after }: { after?: unknown }) => after),
      [{ accessRole: 'editor', expiresAt: null }],
    )
  })

  it('writes nothing when nothing changes', async () => {
    const grants = ['ada', 'bob'].map((userId) => ({ userId, ...document('d') }))
    await add(...grants)
    assert.deepEqual(await acme.events(() => add(...grants)), [])
  })

  it('grants nothing if one grant is refused, and reports each refused one', async () => {
    await acme.key.call(updateKeyConfig, { requireKnownResources: true })
    await acme.addDocuments('root', { documentId: 'known' })
    const answer = await add(
      { userId: 'ada', ...document('known') },
      { userId: 'ada', ...document('nope') },
      { userId: 'bob', ...document('nope') },
    )
    const { reason, details } = refused(answer, 'INVALID_ARGUMENT')
    assert.equal(reason, 'resource_does_not_exist')
    assert.deepEqual(
      details.map(({ field }: { field: string }) => field),
      ['grants[1]', 'grants[2]'],
    )
    assert.deepEqual(await list(), [])
  })

  it('requires the organization of a folder or document', async () => {
    refusedField(await add({ userId: 'ada', type: 'document', id: 'd' }), 'grants[0].organizationId')
  })

  it('accepts 1,000 grants of 1,000 users in one call', async () => {
    const { http } = await add(
      ...Array.from({ length: 1_000 }, (_, index) => ({ userId: `user ${index}`, ...document(`d${index % 7}`) })),
    )
    assert.equal(http, 200)
    assert.equal((await list()).length, 1_000)
  })
})
