/** Who may see and change the access to a document, and the result of a change (rules/access.md#sharing). */
import assert from 'node:assert/strict'
import { beforeAll, beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { getSharing, listSharingTargets } from '#contract/access/sharing.ts'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, deleteDocuments, moveDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import type { Client } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { LATER, member, newSharingKey, onFolder, onRoadmap, organizationId, ROADMAP } from '#testing/sharing.ts'
import { asUser } from '#testing/threads.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField, withoutRequestId } from '../../../test/conformance/support/refused.ts'
import { dumpOfCalls } from '../../../test/conformance/support/tables.ts'

const server = await sharedServer()
let key: Client

type Update = Partial<DataOf<typeof updateSharing>>
const update = (client: Client, data: Update) => client.post(updateSharing.path, { ...ROADMAP, ...data })
const give = (
  userId: string,
  accessRole: 'viewer' | 'commenter' | 'editor' = 'viewer',
  expiresAt?: number,
): Update => ({
  grants: [{ userId, accessRole, ...(expiresAt !== undefined && { expiresAt }) }],
})
const remove = (userId: string): Update => ({ removals: [{ userId }] })
const roleOf = async (userId: string) => {
  const checks = [{ userId, resource: { type: 'document' as const, id: 'roadmap', organizationId } }]
  return (await key.call(checkPermissions, { checks })).checks[0]?.accessRole
}
/** Returns `ok`, or the reason of the refusal. */
const outcome = (answer: Awaited<ReturnType<typeof update>>): string => answer.body.error?.reason ?? 'ok'
const grants = async () => (await key.call(listGrants, { organizationId })).grants

describe('who may', () => {
  const PEOPLE = {
    ada: ['ok', 'ok', 'ok'],
    lea: ['ok', 'ok', 'ok'],
    cora: ['ok', 'ok', 'ok'],
    tim: ['ok', 'ok', 'sharing_exceeds_own_access'],
    gus: ['ok', 'ok', 'sharing_target_unknown'],
    vic: ['access_role_missing', 'access_role_missing', 'access_role_missing'],
    kim: ['access_role_missing', 'access_role_missing', 'access_role_missing'],
    bob: ['document_does_not_exist', 'document_does_not_exist', 'document_does_not_exist'],
    zoe: ['document_does_not_exist', 'document_does_not_exist', 'document_does_not_exist'],
    past: ['document_does_not_exist', 'document_does_not_exist', 'document_does_not_exist'],
    nobody: ['document_does_not_exist', 'document_does_not_exist', 'document_does_not_exist'],
  }
  beforeAll(async () => {
    key = await newSharingKey(server)
  })
  const outcomes = async (client: Client) => [
    outcome(await client.post(getSharing.path, ROADMAP)),
    outcome(await client.post(listSharingTargets.path, ROADMAP)),
    outcome(await update(client, { ...give('eve'), dryRun: true })),
  ]

  it('read and share: editors by a grant of their own, of a folder or of a group', async () => {
    for (const [userId, expected] of Object.entries(PEOPLE))
      assert.deepEqual(await outcomes(await asUser(key, userId)), expected, userId)
  })

  it('read: also readers, if the API key allows it', async () => {
    await key.call(updateKeyConfig, { userSharing: 'editorsAndReaders' })
    for (const userId of ['vic', 'kim', 'gil']) {
      const client = await asUser(key, userId)
      assert.deepEqual(await outcomes(client), ['ok', 'access_role_missing', 'access_role_missing'])
      const { canShare, accessRoles } = await client.call(getSharing, ROADMAP)
      assert.deepEqual([canShare, accessRoles], [false, []])
    }
    await key.call(updateKeyConfig, { userSharing: 'editors' })
  })

  it('nobody with a user token until the API key allows it, which is checked before anything else', async () => {
    await key.call(updateKeyConfig, { userSharing: 'none' })
    for (const userId of ['ada', 'zoe'])
      assert.deepEqual(await outcomes(await asUser(key, userId)), [
        ...['user_sharing_off', 'user_sharing_off', 'user_sharing_off'],
      ])
    assert.deepEqual(
      await outcomes(key.with({ ...key.headers })),
      Array(3).fill('invalid_argument'), // an auth token names the user
    )
    assert.equal(outcome(await update(key, { ...give('eve'), userId: 'ada', dryRun: true })), 'ok')
    assert.equal(outcome(await update(key, { ...give('eve'), userId: 'vic', dryRun: true })), 'access_role_missing')
    assert.equal(outcome(await update(key, { ...give('eve'), userId: 'zoe', dryRun: true })), 'access_role_missing')
    await key.call(updateKeyConfig, { userSharing: 'editors' })
  })

  it('is hidden the same whether the document, the organization or the access is missing', async () => {
    const bob = await asUser(key, 'bob')
    for (const { path } of [getSharing, listSharingTargets, updateSharing]) {
      const more = path === updateSharing.path ? give('eve') : {}
      const answers = await Promise.all(
        [
          ROADMAP,
          { ...ROADMAP, documentId: 'unknown' },
          { ...ROADMAP, organizationId: 'unknown' },
          { ...ROADMAP, organizationId: 'globex' },
        ].map(async (named) => withoutRequestId(await bob.post(path, { ...named, ...more }))),
      )
      assert.match(answers[0] ?? '', /document_does_not_exist/)
      assert.equal(new Set(answers).size, 1, path)
    }
  })

  it('is refused for another user, for the token of another key, and for a disabled user', async () => {
    const ada = await asUser(key, 'ada')
    for (const { path } of [getSharing, listSharingTargets])
      assert.equal(outcome(await ada.post(path, { ...ROADMAP, userId: 'lea' })), 'other_user')
    assert.equal(outcome(await update(ada, { ...give('eve'), userId: 'lea' })), 'other_user')
    assert.equal(outcome(await update(ada, { ...give('eve'), userId: 'ada', dryRun: true })), 'ok')
    const other = await newSharingKey(server)
    const stolen = other.with({ ...other.headers, authorization: ada.headers.authorization ?? '' })
    const { 'x-service-auth-token': _, ...headers } = stolen.headers
    refused(await update(stolen.with(headers), give('eve')), 'UNAUTHENTICATED')
    const off = await asUser(key, 'lea')
    await key.call(disableUsers, { userIds: ['lea'], disabled: true })
    assert.equal(outcome(await update(off, give('eve'))), 'user_disabled')
    assert.equal(outcome(await update(key, { ...give('eve'), userId: 'lea' })), 'access_role_missing')
    await key.call(disableUsers, { userIds: ['lea'], disabled: false })
  })

  it('a public document has no editors by default here', async () => {
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'open', accessType: 'public' }] })
    const open = { organizationId, documentId: 'open' }
    for (const [userId, expected] of [
      ['zoe', 'access_role_missing'],
      ['nobody', 'access_role_missing'],
      ['vic', 'access_role_missing'], // a member, who has the role of the organization
    ] as const)
      assert.equal(
        outcome(await update(await asUser(key, userId), { ...open, ...give('eve'), dryRun: true })),
        expected,
      )
    await key.call(addPermissions, {
      user: { userId: 'boss' },
      permissions: { resources: [{ ...member, accessRole: 'editor' }] },
    })
    const boss = await asUser(key, 'boss')
    const answer = await update(boss, { ...open, ...give('bob'), dryRun: true })
    assert.equal(outcome(answer), 'ok')
    assert.deepEqual(
      answer.body.result.warnings?.map(({ code }: { code: string }) => code),
      ['public_access'],
    )
    assert.deepEqual((await boss.post(getSharing.path, open)).body.result.warnings?.length, 1)
    const { everyone, everyoneRole } = await boss.call(getSharing, open)
    assert.deepEqual([everyone, everyoneRole], [true, 'editor'])
  })
})

describe('sharing.update', () => {
  let ada: Client
  beforeEach(async () => {
    key = await newSharingKey(server)
    ada = await asUser(key, 'ada')
  })

  it('gives, changes and removes, returns the access before and after, and records who did it', async () => {
    const first = await ada.call(updateSharing, {
      ...ROADMAP,
      grants: [
        { userId: 'bob', accessRole: 'commenter', expiresAt: LATER },
        { userId: 'vic', accessRole: 'editor' },
      ],
      removals: [{ userId: 'kim' }],
    })
    const via = { type: 'document', id: 'roadmap', inherited: false }
    assert.deepEqual(first, {
      dryRun: false,
      changes: [
        { userId: 'bob', effect: 'given', after: { accessRole: 'commenter', expiresAt: LATER, via } },
        {
          ...{ userId: 'vic', effect: 'changed' },
          before: { accessRole: 'viewer', via },
          after: { accessRole: 'editor', via },
        },
        { userId: 'kim', effect: 'removed', before: { accessRole: 'commenter', via } },
      ],
      user: { before: { accessRole: 'editor', via }, after: { accessRole: 'editor', via }, canShare: true },
    })
    assert.deepEqual(
      [await roleOf('bob'), await roleOf('vic'), await roleOf('kim')],
      ['commenter', 'editor', undefined],
    )
    const { events } = await key.call(listEvents, { types: ['permission.*'], pageSize: 4 })
    for (const { actor } of events.filter(({ userId }) => ['bob', 'vic', 'kim'].includes(userId ?? '')).slice(0, 3))
      assert.deepEqual(actor, { apiKey: apiKeyOf(key), userToken: true, userId: 'ada' })
    assert.deepEqual(
      (await ada.call(updateSharing, { ...ROADMAP, ...give('vic', 'editor') })).changes.map(({ effect }) => effect),
      ['unchanged'],
    )
  })

  it('makes the grant the only one of its holder on the document', async () => {
    await key.call(addGrants, { grants: [{ userId: 'tim', ...onRoadmap('editor') }] })
    await ada.call(updateSharing, { ...ROADMAP, ...give('tim', 'viewer', LATER - 10) })
    assert.deepEqual(
      (await grants()).filter(({ userId, id }) => userId === 'tim' && id === 'roadmap'),
      [{ ...{ userId: 'tim', type: 'document', id: 'roadmap' }, accessRole: 'viewer', expiresAt: LATER - 10 }],
    )
  })

  it('returns with dryRun what it would return, and changes nothing', async () => {
    const changes: Update = {
      grants: [
        { userId: 'bob', accessRole: 'commenter' },
        { userId: 'tim', accessRole: 'viewer' },
        { groupId: 'sales', accessRole: 'editor' },
      ],
      removals: [{ userId: 'vic' }, { userId: 'lea' }, { groupId: 'design' }],
    }
    // The grant of `past` has expired, which the server reports in its own time.
    await eventually('event of an expired grant', async () => {
      return (await key.call(listEvents, { types: ['permission.expired'] })).events[0]
    })
    const before = await dumpOfCalls(server.db)
    const preview = await ada.call(updateSharing, { ...ROADMAP, ...changes, dryRun: true })
    assert.deepEqual(await dumpOfCalls(server.db), before)
    const made = await ada.call(updateSharing, { ...ROADMAP, ...changes })
    assert.deepEqual({ ...made, dryRun: true }, preview)
    assert.deepEqual(
      made.changes.map(({ userId, groupId, effect, members }) => [userId ?? groupId, effect, members]),
      [
        ['bob', 'given', undefined],
        ['tim', 'changed', undefined],
        ['sales', 'given', { gaining: 2, changing: 0, losing: 0, isExact: true }],
        ['vic', 'removed', undefined],
        ['lea', 'unchanged', undefined],
        ['design', 'removed', { gaining: 0, changing: 0, losing: 1, isExact: true }],
      ],
    )
    assert.deepEqual(made.changes[4]?.before?.via?.type, 'folder')
    assert.deepEqual(made.changes[4]?.after?.via?.group, 'sales')
  })

  it('returns the source of remaining access after a removal, without its name for non-members', async () => {
    await key.call(addGrants, { grants: [{ userId: 'lea', ...onRoadmap('editor') }] })
    const removal = { ...ROADMAP, ...remove('lea'), dryRun: true }
    const [byMember] = (await ada.call(updateSharing, removal)).changes
    assert.deepEqual(byMember?.after, {
      accessRole: 'editor',
      via: { type: 'folder', id: 'plans', name: 'Plans', inherited: true },
    })
    const [byGuest] = (await (await asUser(key, 'gus')).call(updateSharing, removal)).changes
    assert.deepEqual([byGuest?.effect, byGuest?.after], ['removed', { accessRole: 'editor' }])
  })

  it('refuses targets whom the user may not know, always with the same response', async () => {
    const unknown = [
      { userId: 'zoe' },
      { userId: 'nobody' },
      { userId: 'dis' },
      { userId: 'past' },
      { groupId: 'none' },
    ]
    const strange = ['bob ́', 'ßob', '../bob', 'bob"}', '%', '{{bob}}', '😀', 'x'.repeat(256)].map((userId) => ({
      userId,
    }))
    for (const target of [...unknown, ...strange]) {
      const error = refused(await update(ada, { grants: [{ ...target, accessRole: 'viewer' }] }), 'INVALID_ARGUMENT')
      assert.equal(error.reason, 'sharing_target_unknown', JSON.stringify(target))
      const removal = await update(ada, { removals: [target] })
      assert.deepEqual(removal.body.result.data.changes, [{ ...target, effect: 'unchanged' }])
    }
    const gus = await asUser(key, 'gus')
    const texts = new Set<string>()
    for (const target of [
      { userId: 'bob' },
      { userId: 'lea' },
      { userId: 'nobody' },
      { groupId: 'design' },
      { groupId: 'none' },
    ]) {
      texts.add(withoutRequestId(await update(gus, { grants: [{ ...target, accessRole: 'viewer' }] })))
      const { changes } = await gus.call(updateSharing, { ...ROADMAP, removals: [target] })
      assert.deepEqual(changes, [{ ...target, effect: 'unchanged' }])
    }
    assert.equal(texts.size, 1)
    assert.equal(await roleOf('cora'), 'editor')
    for (const userId of ['a\u0000', '\u0001design', ' bob', ''])
      refusedField(await update(ada, give(userId)), 'grants[0].userId')
    assert.equal((await update(ada, give('\ud800'))).http, 400)
  })

  it('gives nothing to the sharer and nothing beyond the own access, and lowers no access from elsewhere', async () => {
    assert.equal(outcome(await update(ada, give('ada', 'editor'))), 'sharing_with_oneself')
    const tim = await asUser(key, 'tim')
    assert.equal(outcome(await update(tim, give('tim', 'editor', LATER + 1))), 'sharing_with_oneself')
    for (const expiresAt of [undefined, LATER + 1])
      assert.equal(outcome(await update(tim, give('bob', 'viewer', expiresAt))), 'sharing_exceeds_own_access')
    assert.equal(outcome(await update(tim, give('bob', 'editor', LATER))), 'ok')
    refusedField(await update(ada, give('bob', 'viewer', 1)), 'grants[0]', /must be in the future/)

    // The same in two steps: a grant as strong as the access from above, then a weaker one.
    const sales = (accessRole: 'viewer' | 'editor') => update(ada, { grants: [{ groupId: 'sales', accessRole }] })
    for (const weaken of [() => update(ada, give('lea', 'viewer')), () => sales('viewer')])
      assert.equal(outcome(await weaken()), 'sharing_would_lower')
    assert.equal(outcome(await sales('editor')), 'ok')
    assert.equal(outcome(await sales('viewer')), 'sharing_would_lower')
    assert.equal(outcome(await update(ada, { removals: [{ groupId: 'sales' }] })), 'ok')
    assert.equal(outcome(await update(ada, give('lea', 'editor'))), 'ok')
    assert.equal(outcome(await update(ada, give('lea', 'viewer'))), 'sharing_would_lower')
    assert.equal(await roleOf('lea'), 'editor')
  })

  it('knows grants from above a public document: it lists their holders, and lowers no role that they give', async () => {
    await key.call(addGrants, { grants: [{ userId: 'pia', ...onFolder, accessRole: 'viewer' }] })
    await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap'], accessType: 'public' })
    const { entries } = await ada.call(getSharing, ROADMAP)
    assert.ok(entries.some(({ userId, grants }) => userId === 'pia' && grants.length === 0))
    assert.equal(outcome(await update(ada, give('lea', 'viewer'))), 'sharing_would_lower')
    assert.equal(await roleOf('lea'), 'editor')
    assert.equal(outcome(await update(ada, give('nobody', 'editor'))), 'sharing_target_unknown')
    assert.equal(outcome(await update(ada, give('pia', 'editor'))), 'ok')
    assert.equal(await roleOf('pia'), 'editor')
  })

  it('is all or nothing, and refuses a call that names nobody, or somebody twice', async () => {
    const both: Update = {
      grants: [
        { userId: 'bob', accessRole: 'viewer' },
        { userId: 'zoe', accessRole: 'viewer' },
      ],
      ...remove('vic'),
    }
    assert.equal(outcome(await update(ada, both)), 'sharing_target_unknown')
    assert.deepEqual([await roleOf('bob'), await roleOf('vic')], [undefined, 'viewer'])
    refusedField(await update(ada, {}), 'grants')
    refusedField(await update(ada, { grants: [], removals: [] }), 'grants')
    refusedField(await update(ada, { ...give('bob'), ...remove('bob') }), 'removals[0]')
    refusedField(await update(ada, { removals: [{ userId: 'bob', groupId: 'design' }] }), 'removals[0].groupId')
    refusedField(await update(ada, { removals: [{}] }), 'removals[0].userId')
  })

  it('reports when the own right to share would end, and ends it only on confirmation', async () => {
    const cora = await asUser(key, 'cora')
    for (const [client, removal] of [
      [ada, { userId: 'ada' }],
      [cora, { groupId: 'design' }],
    ] as const) {
      const preview = await client.call(updateSharing, { ...ROADMAP, removals: [removal], dryRun: true })
      assert.deepEqual([preview.user.canShare, preview.user.after], [false, undefined])
      assert.equal(outcome(await update(client, { removals: [removal] })), 'own_access_would_end')
      assert.equal(outcome(await update(client, { removals: [removal], allowLosingOwnAccess: true })), 'ok')
      assert.equal(outcome(await update(client, { removals: [removal] })), 'document_does_not_exist')
    }
  })

  it('decides by the state at the time of the change, not of the preview', async () => {
    assert.equal(outcome(await update(ada, { ...give('bob'), dryRun: true })), 'ok')
    await key.call(removePermissions, {
      userId: 'ada',
      permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId }] },
    })
    assert.equal(outcome(await update(ada, give('bob'))), 'document_does_not_exist')
    const lea = await asUser(key, 'lea')
    assert.equal(outcome(await update(lea, { ...give('bob'), dryRun: true })), 'ok')
    await key.call(moveDocuments, { organizationId, documentIds: ['roadmap'], folderId: 'root' } as never)
    await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap'], accessType: 'restricted' })
    assert.equal(outcome(await update(lea, give('bob'))), 'document_does_not_exist')
    const gus = await asUser(key, 'gus')
    assert.equal(outcome(await update(gus, { ...give('gil', 'editor'), dryRun: true })), 'ok')
    await key.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
    assert.equal(outcome(await update(gus, give('gil', 'editor'))), 'document_does_not_exist')
  })

  it('accepts the role commenter only if the API key has it', async () => {
    await key.call(updateSharing, { ...ROADMAP, userId: 'ada', ...remove('kim') })
    await key.call(updateKeyConfig, { accessRoles: ['viewer', 'editor'] })
    refusedField(await update(ada, give('bob', 'commenter')), 'grants[0].accessRole')
    assert.deepEqual((await ada.call(getSharing, ROADMAP)).accessRoles, ['viewer', 'editor'])
  })

  it('repeats a response for the same Idempotency-Key, also that of a preview', async () => {
    const keyed = ada.with({ ...ada.headers, 'idempotency-key': 'one' })
    const preview = await update(keyed, { ...give('bob'), dryRun: true })
    assert.equal((await update(keyed, { ...give('bob'), dryRun: true })).text, preview.text)
    assert.equal(await roleOf('bob'), undefined)
    await key.call(addOrganizations, { organizations: [{ organizationId: 'later' }] })
  })
})

it('succeeds for one of two users who remove each other at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    key = await newSharingKey(server)
    await key.call(addGrants, { grants: [{ userId: 'eve', ...onRoadmap('editor') }] })
    const [ada, eve] = [await asUser(key, 'ada'), await asUser(key, 'eve')]
    const outcomes = (await Promise.all([update(ada, remove('eve')), update(eve, remove('ada'))])).map(outcome)
    assert.deepEqual(outcomes.toSorted(), ['document_does_not_exist', 'ok'])
    assert.deepEqual([await roleOf('ada'), await roleOf('eve')].filter((role) => role === 'editor').length, 1)
  }
})
