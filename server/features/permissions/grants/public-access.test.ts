/** Calls that give or list access on public resources warn that everyone has access (rules/contract.md#warnings). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import type { Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, disableDocuments, moveDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addFolders, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { getDocumentUsers } from '#contract/users/document-users.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const organizationId = 'acme'

interface Resource {
  type: 'organization' | 'folder' | 'document'
  id: string
  organizationId?: string
}
const ORGANIZATION: Resource = { type: 'organization', id: organizationId }
const folder = (id: string): Resource => ({ type: 'folder', id, organizationId })
const document = (id: string): Resource => ({ type: 'document', id, organizationId })

/** The ways in which the world below makes a resource public; every name is also in the sentence. */
const BY_DEFAULT = [document('plain'), document('in-plain'), folder('plain'), folder('below-plain')]
const BY_FOLDER = [document('in-open'), document('deep'), folder('below-open')]
const BY_ITSELF = [document('open'), document('open-in-shut'), folder('open')]
const SHUT = [document('shut'), document('in-shut'), document('shut-in-open'), folder('shut'), folder('below-shut')]

/** Returns the callers of two equal worlds: in one the default of the key is public, in the other restricted. */
async function world(defaultDocumentAccessType: 'public' | 'restricted'): Promise<Client> {
  const key = await server.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType, defaultAccessRole: 'viewer' })
  await key.call(addFolders, {
    organizationId,
    createOrganization: true,
    folders: [
      { folderId: 'plain' },
      { folderId: 'below-plain', parentFolderId: 'plain' },
      { folderId: 'open', accessType: 'public' },
      { folderId: 'below-open', parentFolderId: 'open' },
      { folderId: 'shut', accessType: 'restricted' },
      { folderId: 'below-shut', parentFolderId: 'shut' },
    ],
  })
  const add = (
    folderId: string | undefined,
    ...documents: { documentId: string; accessType?: 'public' | 'restricted' }[]
  ) => key.call(addDocuments, { organizationId, ...(folderId === undefined ? {} : { folderId }), documents })
  const [open, shut] = ['public' as const, 'restricted' as const]
  await add(
    undefined,
    { documentId: 'plain' },
    { documentId: 'open', accessType: open },
    { documentId: 'shut', accessType: shut },
  )
  await add('plain', { documentId: 'in-plain' })
  await add('open', { documentId: 'in-open' }, { documentId: 'shut-in-open', accessType: shut })
  await add('below-open', { documentId: 'deep' })
  await add('shut', { documentId: 'in-shut' }, { documentId: 'open-in-shut', accessType: open })
  await key.call(addUserGroups, {
    organizationId,
    organizationUserGroups: [{ groupId: 'design' }, { groupId: 'none' }],
  })
  await key.call(addUsers, { organizationId, users: [{ userId: 'lin' }] })
  return key
}

let open: Client
let shut: Client
beforeAll(async () => {
  open = await world('public')
  shut = await world('restricted')
})

/** Returns the sentences of the warnings about public resources. */
async function saidBy(key: Client, operation: Operation, data: object): Promise<string[]> {
  const { http, body } = await key.post(operation.path, data)
  assert.equal(http, 200, JSON.stringify(body))
  const warnings: { code: string; message: string }[] = body.result.warnings ?? []
  assert.notEqual(body.result.warnings?.length, 0)
  for (const { code } of warnings) assert.equal(code, 'public_access')
  return warnings.map(({ message }) => message)
}

const named = ({ type, id, organizationId: of }: Resource): string =>
  `the ${type} "${id}"${of === undefined ? '' : ` of the organization "${of}"`}`
const EVERYONE = 'Every user of the API key has access as viewer, also without a grant, to '

/** Every call that gives access to one resource. */
const GIVING: Record<string, (resource: Resource) => [Operation, object]> = {
  'permissions.add': (resource) => [
    addPermissions,
    { user: { userId: 'ada' }, permissions: { resources: [resource] } },
  ],
  'permissions.add for a group': (resource) => [
    addPermissions,
    { group: { organizationId, groupId: 'design' }, permissions: { resources: [resource] } },
  ],
  'grants.add': (resource) => [addGrants, { grants: [{ userId: 'ada', ...resource }] }],
  'grants.add for a group': (resource) => [addGrants, { grants: [{ groupId: 'design', ...resource }] }],
  'users.add': (resource) => [addUsers, { ...targetOf(resource), users: [{ userId: 'ada' }] }],
  'users.update': (resource) => [
    updateUsers,
    { ...targetOf(resource), users: [{ userId: 'ada', accessRole: 'editor' }] },
  ],
  'user-tokens.generate': (resource) => [generateToken, { userId: 'ada', permissions: { resources: [resource] } }],
  'invitations.add': (resource) => [addInvitation, { ...invitedTo(resource), email: 'ada@example.com' }],
  'permissions.simulate': (resource) => [simulatePermissions, { organizationId, add: [{ userId: 'ada', resource }] }],
}

const targetOf = ({ type, id }: Resource) => ({
  organizationId,
  ...(type === 'organization' ? {} : { [`${type}Id`]: id }),
})
const invitedTo = (resource: Resource) => ({
  ...targetOf(resource),
  type: { organization: 'org_user', folder: 'folder_user', document: 'doc_user' }[resource.type],
})

describe.each(Object.entries(GIVING))('%s', (_, call) => {
  it('warns if the default of the key makes it public', async () => {
    for (const resource of [...BY_DEFAULT, document('new'), folder('new')]) {
      const said = await saidBy(open, ...call(resource))
      assert.match(
        said.join('\n'),
        new RegExp(`^${EVERYONE}${named(resource)}: the API key makes it public by default\\.`),
      )
      assert.deepEqual(await saidBy(shut, ...call(resource)), [])
    }
  })

  it('warns if a folder or the resource itself makes it public, whatever the default', async () => {
    for (const key of [open, shut]) {
      for (const resource of BY_FOLDER)
        assert.deepEqual(
          (await saidBy(key, ...call(resource))).map((said) => said.split('. ')[0]),
          [
            `${EVERYONE}${named(resource)}: it is in the folder "${resource.id === 'deep' ? 'below-open' : 'open'}", which is public`,
          ],
        )
      for (const resource of BY_ITSELF)
        assert.match((await saidBy(key, ...call(resource))).join('\n'), /^.*: the access type in force is "public"\./)
      for (const resource of SHUT) assert.deepEqual(await saidBy(key, ...call(resource)), [])
    }
  })

  it('reports for an organization what is public in it by default', async () => {
    assert.match(
      (await saidBy(open, ...call(ORGANIZATION))).join('\n'),
      /^.* in the organization "acme" that have no access type/,
    )
    assert.deepEqual(await saidBy(shut, ...call(ORGANIZATION)), [])
  })
})

describe('a call about many resources', () => {
  it('names resources with their organizations, so that equal ids can be told apart', async () => {
    const other = { type: 'document', organizationId: 'umbra' } as const
    const [both] = await saidBy(open, addGrants, {
      grants: [document('plain'), { ...other, id: 'plain' }].map((resource) => ({ userId: 'eve', ...resource })),
    })
    assert.match(
      both ?? '',
      /to the document "plain" of the organization "acme" and the document "plain" of the organization "umbra": the API/,
    )
    await open.call(addFolders, { organizationId: 'umbra', folders: [{ folderId: 'open', accessType: 'public' }] })
    await open.call(addDocuments, {
      organizationId: 'umbra',
      folderId: 'open',
      documents: [{ documentId: 'in-open' }],
    })
    const said = await saidBy(open, addGrants, {
      grants: [document('in-open'), { ...other, id: 'in-open' }].map((resource) => ({ userId: 'eve', ...resource })),
    })
    assert.deepEqual(
      said.map((one) => /"(\w+)": it is in the folder "open"/.exec(one)?.[1]),
      ['acme', 'umbra'],
    )
  })

  it('has one sentence for each cause, which names three resources and counts the others', async () => {
    const resources = [...BY_DEFAULT, ...BY_FOLDER, ...BY_ITSELF, ...SHUT, document('n1'), document('n2')]
    for (const [operation, data] of [
      [addPermissions, { user: { userId: 'bob' }, permissions: { resources } }],
      [addGrants, { grants: resources.map((resource) => ({ userId: 'bob', ...resource })) }],
      [generateToken, { userId: 'bob', permissions: { resources } }],
    ] as const) {
      const said = await saidBy(open, operation, data)
      assert.equal(said.length, 4, operation.name)
      assert.ok(
        said.some((one) =>
          /"plain", the document "in-plain", the folder "plain", and 3 more, all in the organization "acme": the API key/.test(
            one,
          ),
        ),
        said.join('\n'),
      )
    }
  })

  it('is as short for a thousand grants', async () => {
    const grants = Array.from({ length: 1_000 }, (_, n) => ({ userId: `u${n}`, ...document(`d${n % 500}`) }))
    const [said = '', ...others] = await saidBy(open, addGrants, { grants })
    assert.deepEqual(others, [])
    assert.match(said, /, and 497 more, all in the organization "acme": the API key makes them public by default/)
  })
})

describe('an accepted invitation', () => {
  it('has the warning', async () => {
    for (const [key, count] of [
      [open, 1],
      [shut, 0],
    ] as const) {
      const to = { ...invitedTo(document('in-plain')), email: 'grace@example.com' }
      await key.call(addInvitation, to as never)
      const { token } = await key.call(generateToken, { userId: 'grace' })
      const accepted = { ...to, status: 'ACCEPTED', user: { userId: 'grace' }, authToken: token }
      assert.equal((await saidBy(key, respondToInvitation, accepted)).length, count)
    }
  })
})

describe('adding users to a group', () => {
  it('warns which grants of the group are on public resources', async () => {
    for (const [key, count] of [
      [open, 2],
      [shut, 1],
    ] as const) {
      const group = { organizationId, organizationUserGroupId: 'of-two', userIds: ['lin'] }
      await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'of-two' }] })
      assert.deepEqual(await saidBy(key, addUserGroupUsers, group), [])
      const grants = [document('plain'), document('deep'), document('shut')]
      await key.call(addGrants, { grants: grants.map((on) => ({ groupId: 'of-two', ...on, organizationId })) })
      assert.equal((await saidBy(key, addUserGroupUsers, group)).length, count)
      assert.deepEqual(await saidBy(key, addUserGroupUsers, { ...group, userIds: ['nobody'] }), [])
    }
  })
})

describe('lists and explanations', () => {
  const PUBLIC = [...BY_FOLDER, ...BY_ITSELF]
  const calls = (resource: Resource): [Operation, object][] => [
    [listPermittedUsers, { resource }],
    [explainPermissions, { userId: 'lin', resource }],
    [getUsers, targetOf(resource)],
  ]

  it('of the users of a resource have the warning', async () => {
    for (const [key, resources] of [
      [open, [...PUBLIC, ...BY_DEFAULT]],
      [shut, PUBLIC],
    ] as const)
      for (const resource of resources)
        for (const call of calls(resource)) {
          const said = (await saidBy(key, ...call)).join('\n')
          assert.ok(said.startsWith(EVERYONE + named(resource)), `${call[0].name}: ${said}`)
        }
    for (const resource of SHUT) for (const call of calls(resource)) assert.deepEqual(await saidBy(open, ...call), [])
    for (const resource of BY_DEFAULT)
      for (const call of calls(resource)) assert.deepEqual(await saidBy(shut, ...call), [])
  })

  it('of contents count the public resources', async () => {
    const inside = { resource: folder('shut'), inside: true }
    assert.deepEqual(await saidBy(shut, listPermittedUsers, inside), [
      `${EVERYONE}1 resource in the folder "shut" of the organization "acme": the access type in force there is "public".`,
    ])
    const [said = ''] = await saidBy(open, listPermittedUsers, { resource: ORGANIZATION, inside: true })
    assert.match(said, /to \d+ resources in the organization "acme"/)
  })

  it('of resources and grants mark public ones', async () => {
    const resources = [document('plain'), document('deep'), document('open'), document('shut')]
    for (const [key, causes] of [
      [open, 4],
      [shut, 2],
    ] as const) {
      const other = { organizationId: 'listed' }
      await key.call(addFolders, {
        ...other,
        createOrganization: true,
        folders: [{ folderId: 'open', accessType: 'public' }],
      })
      await key.call(addDocuments, { ...other, folderId: 'open', documents: [{ documentId: 'deep' }] })
      const documents = [
        { documentId: 'plain' },
        { documentId: 'open', accessType: 'public' as const },
        { documentId: 'shut', accessType: 'restricted' as const },
      ]
      await key.call(addDocuments, { ...other, documents })
      const grants = [{ type: 'organization' as const, id: 'listed' }, ...resources]
      await key.call(addGrants, { grants: grants.map((on) => ({ userId: 'lin', ...on, ...other })) })
      assert.equal((await saidBy(key, listGrants, other)).length, causes, 'grants')
      const said = await saidBy(key, listPermittedResources, { ...other, userId: 'lin' })
      assert.match(said.join('\n'), /"open"/)
      assert.doesNotMatch(said.join('\n'), /"shut"/)
      assert.equal((await saidBy(key, getDocumentUsers, other)).length, key === open ? 1 : 0)
    }
  })
})

describe('setting an access type', () => {
  it('warns if everyone has access now', async () => {
    for (const key of [open, shut]) {
      await key.call(addFolders, { organizationId, folders: [{ folderId: 'set', accessType: 'restricted' }] })
      await key.call(addDocuments, {
        organizationId,
        folderId: 'set',
        documents: [{ documentId: 'set', accessType: 'restricted' }],
      })
      const setFolder = (data: object) => saidBy(key, setFolderAccess, { organizationId, folderIds: ['set'], ...data })
      const setDocument = (data: object) =>
        saidBy(key, setDocumentAccess, { organizationId, documentIds: ['set'], ...data })
      assert.deepEqual(await setDocument({ inheritFromParent: true }), [])
      assert.match((await setFolder({ accessType: 'public' })).join(), /the folder "set"/)
      assert.match((await setDocument({ inheritFromParent: true })).join(), /in the folder "set", which is public/)
      assert.match((await setDocument({ accessType: 'public' })).join(), /the document "set"/)
      assert.deepEqual(await setDocument({ accessType: 'restricted' }), [])
      assert.equal((await setFolder({ inheritFromParent: true })).length, key === open ? 1 : 0)
    }
  })
})

describe('adding, moving and enabling', () => {
  const PLACES: [folderId: string | undefined, inOpen: boolean, inShut: boolean][] = [
    [undefined, true, false],
    ['plain', true, false],
    ['open', true, true],
    ['below-open', true, true],
    ['shut', false, false],
    ['below-shut', false, false],
  ]

  it('warn about documents that are public at their new location', async () => {
    const add = (key: Client, documents: object[], to?: string) =>
      saidBy(key, addDocuments, { organizationId, documents, ...(to !== undefined && { folderId: to }) })
    for (const [key, isPublic] of [
      [open, ([, yes]: (typeof PLACES)[number]) => yes],
      [shut, ([, , yes]: (typeof PLACES)[number]) => yes],
    ] as const)
      for (const place of PLACES) {
        const [folderId = 'root'] = place
        const documentId = `new-${folderId}`
        const count = isPublic(place) ? 1 : 0
        assert.equal((await add(key, [{ documentId }], place[0])).length, count, folderId)
        assert.deepEqual(await add(key, [{ documentId }], place[0]), [], 'it is there already')
        assert.deepEqual(await add(key, [{ documentId: `${documentId}-shut`, accessType: 'restricted' }], place[0]), [])
        assert.equal((await add(key, [{ documentId: `${documentId}-open`, accessType: 'public' }], place[0])).length, 1)
        await key.call(moveDocuments, { organizationId, documentIds: [documentId], folderId: 'shut' })
        const move = { organizationId, documentIds: [documentId], folderId }
        const moved = await saidBy(key, moveDocuments, move)
        assert.equal(moved.length, count, folderId)
        const set = (disabled: boolean) =>
          saidBy(key, disableDocuments, { organizationId, documentIds: [documentId], disabled })
        assert.deepEqual(await set(true), [])
        assert.deepEqual(await set(false), moved)
      }
    assert.match((await add(open, [{ documentId: 'late' }], 'below-open')).join(), /in the folder "below-open"/)
  })

  it('warn about folders that are public at their new location', async () => {
    for (const [key, at] of [
      [open, 1],
      [shut, 2],
    ] as const)
      for (const place of PLACES) {
        const parentFolderId = place[0] ?? 'root'
        const folderId = `new-${parentFolderId}`
        const count = place[at] ? 1 : 0
        const folders = [{ folderId, parentFolderId }]
        assert.equal((await saidBy(key, addFolders, { organizationId, folders })).length, count, folderId)
        await key.call(updateFolders, { organizationId, folders: [{ folderId, parentFolderId: 'shut' }] })
        assert.equal((await saidBy(key, updateFolders, { organizationId, folders })).length, count, folderId)
        const renamed = { organizationId, folders: [{ folderId, folderName: 'Other' }] }
        assert.deepEqual(await saidBy(key, updateFolders, renamed), [])
      }
  })
})

describe('the default of an API key', () => {
  it('reports which documents it opens, and with which role, when it becomes public', async () => {
    const key = await world('restricted')
    const set = (data: object) => saidBy(key, updateKeyConfig, data)
    assert.deepEqual(await set({ defaultDocumentAccessType: 'restricted', defaultAccessRole: 'viewer' }), [])
    assert.deepEqual(await set({ defaultDocumentAccessType: 'organizationPrivate' }), [])
    const [said = ''] = await set({ defaultDocumentAccessType: 'public' })
    assert.match(
      said,
      /^Every user of the API key has access as viewer, also without a grant, to 2 documents without an/,
    )
    assert.match((await set({ defaultAccessRole: 'editor' })).join(), /access as editor, .* to 2 documents/)
    assert.deepEqual(await set({ userTokenLifetimeSeconds: 3_600 }), [])
  })
})
