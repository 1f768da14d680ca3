/**
 * The test removes access through one process, then adds something that the user must not see, and queries every
 * process. No decision that was requested after both were acknowledged may allow access. `ROUNDS` sets the number of
 * rounds.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import type { DataOf, Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import {
  addDocuments,
  disableDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import { addFolders, deleteFolder, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { addOrganizations, disableOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
} from '#contract/users/user-groups.ts'
import { deleteUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'

const ROUNDS = Number(process.env.ROUNDS ?? (ENGINE === 'postgres' && FULL ? 600 : 200))
const WORKERS = 8
const ORGANIZATIONS = 4
const CLOSED = 'closed'

/** The resources of one round: a folder, a document in it or at the top, and a user. */
interface Scene {
  organizationId: string
  folderId: string
  documentId: string
  userId: string
}

type Call = [operation: Operation, data: object]
// biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas
const call = <Op extends Operation<any, any>>(operation: Op, data: DataOf<Op>): Call => [operation, data as object]

interface Way {
  gives(scene: Scene): Call[]
  takes(scene: Scene): Call[]
  /** The location of the secret: a new document in the folder, or new content in the document. */
  secret: 'in the folder' | 'in the document'
  atLeast?: 'editor'
  /** Removes the access to all of it. */
  ownOrganization?: true
}

const folder = ({ organizationId, folderId }: Scene, more: object = {}) =>
  call(addFolders, { organizationId, folders: [{ folderId, ...more }] })
const document = ({ organizationId, documentId }: Scene, folderId = 'root', more: object = {}) =>
  call(addDocuments, { organizationId, folderId, documents: [{ documentId, ...more }] })
const named = ({ organizationId, folderId, documentId }: Scene, type: ResourceName['type']): ResourceName =>
  type === 'organization'
    ? { type, id: organizationId }
    : { type, id: type === 'folder' ? folderId : documentId, organizationId }
const grant = (scene: Scene, type: ResourceName['type'], more: object = {}) =>
  call(addPermissions, {
    user: { userId: scene.userId },
    permissions: { resources: [{ ...named(scene, type), ...more }] },
  })
const remove = (scene: Scene, type: ResourceName['type']) =>
  call(removePermissions, { userId: scene.userId, permissions: { resources: [named(scene, type)] } })
const above = ({ folderId }: Pick<Scene, 'folderId'>) => `above ${folderId}`
const restricted = { accessType: 'restricted' } as const

const groupOf = ({ folderId }: Scene) => `group of ${folderId}`
const grantOfGroup = (scene: Scene) => ({
  group: { organizationId: scene.organizationId, groupId: groupOf(scene) },
  permissions: { resources: [named(scene, 'folder')] },
})
const inGroup = (scene: Scene) => ({
  organizationId: scene.organizationId,
  organizationUserGroupId: groupOf(scene),
  userIds: [scene.userId],
})

/** Access to a restricted folder by a group. */
const giveByGroup = (scene: Scene): Call[] => [
  folder(scene, restricted),
  grant(scene, 'organization'),
  call(addUserGroups, {
    organizationId: scene.organizationId,
    organizationUserGroups: [{ groupId: groupOf(scene) }],
  }),
  call(addUserGroupUsers, inGroup(scene)),
  call(addPermissions, grantOfGroup(scene)),
]

const WAYS: Record<string, Way> = {
  'a user leaves a group': {
    gives: giveByGroup,
    takes: (scene) => [call(deleteUserGroupUsers, inGroup(scene))],
    secret: 'in the folder',
  },
  'a user is disabled': {
    gives: (scene) => [folder(scene, restricted), grant(scene, 'folder')],
    takes: ({ userId }) => [call(disableUsers, { userIds: [userId], disabled: true })],
    secret: 'in the folder',
  },
  'a user of a group is disabled': {
    gives: giveByGroup,
    takes: ({ userId }) => [call(disableUsers, { userIds: [userId], disabled: true })],
    secret: 'in the folder',
  },
  'a user of a public folder is disabled': {
    gives: (scene) => [folder(scene, { accessType: 'public' })],
    takes: ({ userId }) => [call(disableUsers, { userIds: [userId], disabled: true })],
    secret: 'in the folder',
  },
  'a grant of a group is removed': {
    gives: giveByGroup,
    takes: (scene) => [call(removePermissions, grantOfGroup(scene))],
    secret: 'in the folder',
  },
  'a group is deleted': {
    gives: giveByGroup,
    takes: (scene) => [
      call(deleteUserGroups, {
        organizationId: scene.organizationId,
        organizationUserGroupIds: [groupOf(scene)],
      }),
    ],
    secret: 'in the folder',
  },
  'the membership of a user in a group ends': {
    gives: giveByGroup,
    takes: (scene) => [remove(scene, 'organization')],
    secret: 'in the folder',
  },
  'a grant on the document is removed': {
    gives: (scene) => [document(scene, 'root', restricted), grant(scene, 'document')],
    takes: (scene) => [remove(scene, 'document')],
    secret: 'in the document',
  },
  'a grant on the folder is removed': {
    gives: (scene) => [folder(scene, restricted), grant(scene, 'folder')],
    takes: (scene) => [remove(scene, 'folder')],
    secret: 'in the folder',
  },
  'a member is taken out of the organization': {
    gives: (scene) => [folder(scene, { accessType: 'organizationPrivate' }), grant(scene, 'organization')],
    takes: ({ organizationId, userId }) => [call(deleteUsers, { organizationId, userIds: [userId] })],
    secret: 'in the folder',
  },
  'a grant is replaced by one that is over': {
    gives: (scene) => [folder(scene, restricted), grant(scene, 'folder')],
    takes: (scene) => [grant(scene, 'folder', { expiresAt: 1_000, replaceExisting: true })],
    secret: 'in the folder',
  },
  'a temporary grant is ended early': {
    gives: (scene) => [folder(scene, restricted), grant(scene, 'folder', { expiresAt: 2_000_000_000 })],
    takes: (scene) => [grant(scene, 'folder', { expiresAt: 1_000 })],
    secret: 'in the folder',
  },
  'an editor is made a viewer': {
    gives: (scene) => [folder(scene, restricted), grant(scene, 'folder')],
    takes: (scene) => [grant(scene, 'folder', { accessRole: 'viewer' })],
    secret: 'in the folder',
    atLeast: 'editor',
  },
  'a public folder is closed': {
    gives: (scene) => [folder(scene, { accessType: 'public' })],
    takes: ({ organizationId, folderId }) => [
      call(setFolderAccess, { organizationId, folderIds: [folderId], ...restricted }),
    ],
    secret: 'in the folder',
  },
  'a folder loses its access type under a closed one': {
    gives: (scene) => [folder(scene, { parentFolderId: CLOSED, accessType: 'public' })],
    takes: ({ organizationId, folderId }) => [
      call(setFolderAccess, { organizationId, folderIds: [folderId], inheritFromParent: true }),
    ],
    secret: 'in the folder',
  },
  'a folder is moved into a closed one': {
    gives: (scene) => [folder(scene)],
    takes: ({ organizationId, folderId }) => [
      call(updateFolders, { organizationId, folders: [{ folderId, parentFolderId: CLOSED }] }),
    ],
    secret: 'in the folder',
  },
  'a document is moved into a closed folder': {
    gives: (scene) => [document(scene)],
    takes: ({ organizationId, documentId }) => [
      call(moveDocuments, { organizationId, documentIds: [documentId], folderId: CLOSED }),
    ],
    secret: 'in the document',
  },
  'a document loses its access type in a closed folder': {
    gives: (scene) => [document(scene, CLOSED, { accessType: 'public' })],
    takes: ({ organizationId, documentId }) => [
      call(setDocumentAccess, { organizationId, documentIds: [documentId], inheritFromParent: true }),
    ],
    secret: 'in the document',
  },
  'a document is disabled': {
    gives: (scene) => [document(scene), grant(scene, 'document')],
    takes: ({ organizationId, documentId }) => [
      call(disableDocuments, { organizationId, documentIds: [documentId], disabled: true }),
    ],
    secret: 'in the document',
  },
  'a grant on the organization is removed': {
    gives: (scene) => [folder(scene, { accessType: 'organizationPrivate' }), grant(scene, 'organization')],
    takes: (scene) => [remove(scene, 'organization')],
    secret: 'in the folder',
  },
  'the folder above is closed': {
    gives: (scene) => [
      folder({ ...scene, folderId: above(scene) }, { accessType: 'public' }),
      folder(scene, { parentFolderId: above(scene) }),
    ],
    takes: ({ organizationId, ...scene }) => [
      call(setFolderAccess, { organizationId, folderIds: [above(scene)], ...restricted }),
    ],
    secret: 'in the folder',
  },
  'a folder is deleted and added again': {
    gives: (scene) => [folder(scene, restricted), grant(scene, 'folder')],
    takes: (scene) => [
      call(deleteFolder, { organizationId: scene.organizationId, folderId: scene.folderId }),
      folder(scene, restricted),
    ],
    secret: 'in the folder',
  },
  'the organization is disabled': {
    ownOrganization: true,
    gives: (scene) => [folder(scene), grant(scene, 'folder')],
    takes: ({ organizationId }) => [call(disableOrganizations, { organizationIds: [organizationId], disabled: true })],
    secret: 'in the folder',
  },
}

const { settings } = await createLastingStore()
const first = await startProcess(settings)
const servers = ENGINE === 'embedded' ? [first] : [first, await startProcess(settings)]

/** Returns a client for each process, with a new API key. */
async function newClients(): Promise<Client[]> {
  const key = await first.client.newKey()
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, index) => ({ organizationId: `o${index}` }))
  await key.call(addOrganizations, { organizations })
  for (const { organizationId } of organizations)
    await key.call(addFolders, { organizationId, folders: [{ folderId: CLOSED, accessType: 'restricted' }] })
  return servers.map(({ client }) => client.with(key.headers))
}

/** Returns whether the user may. Throws on a system failure. */
type Ask = (client: Client, scene: Scene, id: string, atLeast: Way['atLeast']) => Promise<boolean>

const mayUse = async (
  client: Client,
  userId: string,
  resource: ResourceName,
  atLeast: Way['atLeast'],
): Promise<boolean> => {
  const check = { userId, resource, ...(atLeast === undefined ? {} : { atLeast }) }
  const { checks } = await client.call(checkPermissions, { checks: [check] })
  return checks[0]?.allowed === true
}

const ask: Ask = (client, { organizationId, userId }, id, atLeast) =>
  mayUse(client, userId, { type: 'document', id, organizationId }, atLeast)

/** The other calls that decide. They are slower, so each round makes one of them, in turn. */
const OTHERS: Ask[] = [
  async (client, { organizationId, userId }, id) => {
    const resource = { type: 'document' as const, id, organizationId }
    return (await client.call(explainPermissions, { userId, resource })).decision.accessRole === 'editor'
  },
  async (client, { organizationId, userId }, id) => {
    const { resources } = await client.call(listPermittedResources, {
      ...{ organizationId, userId, types: ['document'], atLeast: 'editor' },
    })
    return resources.some((resource) => resource.id === id)
  },
  async (client, { organizationId, userId }, id) => {
    const resource = { type: 'document' as const, id, organizationId }
    const { users } = await client.call(listPermittedUsers, { resource, atLeast: 'editor' })
    return users.some((user) => user.userId === userId)
  },
]

async function playRound(clients: readonly Client[], round: number): Promise<void> {
  const ways = Object.entries(WAYS)
  const [name, way] = ways[round % ways.length] as [string, Way]
  const through = (turn: number) => clients[(round + turn) % clients.length] as Client
  const scene: Scene = {
    organizationId: way.ownOrganization ? `own${round}` : `o${round % ORGANIZATIONS}`,
    folderId: `f${round}`,
    documentId: `d${round}`,
    userId: `u${round}`,
  }
  if (way.ownOrganization)
    await through(0).call(addOrganizations, { organizations: [{ organizationId: scene.organizationId }] })
  for (const [operation, data] of way.gives(scene)) await through(0).call(operation, data)
  const place = named(scene, way.secret === 'in the folder' ? 'folder' : 'document')
  assert.ok(await mayUse(through(1), scene.userId, place, way.atLeast), `no access before ${name}, round ${round}`)

  const take = async () => {
    for (const [operation, data] of way.takes(scene)) await through(0).call(operation, data)
  }
  await Promise.all([
    take(),
    ...clients.map((client) => ask(client, scene, scene.documentId, way.atLeast)), // either answer is right
  ])
  const secretId = way.secret === 'in the folder' ? `s${round}` : scene.documentId
  const { organizationId, folderId } = scene
  if (way.secret === 'in the folder')
    await through(1).call(addDocuments, { organizationId, folderId, documents: [{ documentId: secretId }] })
  else
    await through(1).call(updateDocuments, {
      organizationId,
      documents: [{ documentId: secretId, documentName: 'not for you' }],
    })
  const other = OTHERS[round % OTHERS.length] as Ask
  const answers = await Promise.all([
    ...clients.map((client) => ask(client, scene, secretId, way.atLeast)),
    other(through(1), scene, secretId, way.atLeast),
  ])
  assert.ok(!answers.includes(true), `a stale allow after ${name}, round ${round}: ${answers}`)
}

/** Runs one round at a time: the default of a key applies to all its organizations. */
async function closeByDefault(clients: readonly Client[], round: number): Promise<void> {
  const through = (turn: number) => clients[(round + turn) % clients.length] as Client
  const scene = { organizationId: 'o0', folderId: `f${round}`, documentId: `d${round}`, userId: `u${round}` }
  await through(0).call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
  await through(0).call(...folder(scene))
  assert.ok(await mayUse(through(1), scene.userId, named(scene, 'folder'), undefined), `no access, round ${round}`)
  await through(0).call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await through(1).call(...document(scene, scene.folderId))
  const answers = await Promise.all(clients.map((client) => ask(client, scene, scene.documentId, undefined)))
  assert.ok(!answers.includes(true), `a stale allow after the default was restricted, round ${round}: ${answers}`)
}

/** Runs one round at a time: a key without disabled users decides in a shorter form, so each round enables the user again. */
async function disableFirst(clients: readonly Client[], round: number): Promise<void> {
  const through = (turn: number) => clients[(round + turn) % clients.length] as Client
  const scene = { organizationId: 'o0', folderId: `f${round}`, documentId: `d${round}`, userId: 'ada' }
  await through(0).call(...folder(scene, { accessType: 'public' }))
  assert.ok(await mayUse(through(1), 'ada', named(scene, 'folder'), undefined), `no access, round ${round}`)
  const disable = (disabled: boolean) => through(0).call(disableUsers, { userIds: ['ada'], disabled })
  await Promise.all([disable(true), ...clients.map((client) => ask(client, scene, scene.documentId, undefined))])
  await through(1).call(...document(scene, scene.folderId))
  const other = OTHERS[round % OTHERS.length] as Ask
  const answers = await Promise.all([
    ...clients.map((client) => ask(client, scene, scene.documentId, undefined)),
    other(through(1), scene, scene.documentId, undefined),
  ])
  assert.ok(!answers.includes(true), `a stale allow after the user was disabled, round ${round}: ${answers}`)
  await disable(false)
}

describe('removed access', () => {
  it(`is allowed by no later decision, in ${ROUNDS} rounds`, async (t) => {
    const clients = await newClients()
    let round = 0
    const work = async () => {
      while (round < ROUNDS) {
        if (round > 0 && round % 10_000 === 0) t.annotate(`${round} rounds`)
        await playRound(clients, round++)
      }
    }
    const started = performance.now()
    await Promise.all(Array.from({ length: WORKERS }, work))
    t.annotate(`${round} rounds in ${Math.round((performance.now() - started) / 1000)} s`)
  })

  it('is allowed by no later decision when a user is the first of the key to be disabled', async () => {
    const clients = await newClients()
    for (let round = 0; round < ROUNDS / 50; round++) await disableFirst(clients, round)
  })

  it('is allowed by no later decision when the default of the key had opened everything', async () => {
    const clients = await newClients()
    for (let round = 0; round < ROUNDS / 100; round++) await closeByDefault(clients, round)
  })
})
