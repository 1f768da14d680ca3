/** An export of imported data is the same file, byte for byte. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { exportKey, exportWorkspace } from '#moving/export/export.ts'
import { exportEntries } from '#moving/files/entries.ts'
import { STORED_KINDS } from '#moving/import/apply-comments.ts'
import type { Client } from '#sdk/index.ts'
import { createClient } from '#sdk/index.ts'
import { apiKeyClient, workspaceClient } from '#testing/clients.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { importFile } from '../../cli/moving/import/import-file.ts'
import { clientForExport, clientForImport, keyFor } from '../../cli/moving/workspace.ts'
import { newCallers } from '../conformance/support/callers.ts'
import { exportTo, faultsIn, importFrom, importWhole, writeExport } from './files.ts'
import { fillRandomly, SMALLEST } from './worlds.ts'

const server = await sharedServer()
const folder = temporaryFolder()
const newClient = async (): Promise<Client> => apiKeyClient(server.url, await server.newKey())
const file = (name: string): string => path.join(folder, name)

const SEEDS = Array.from({ length: Number(process.env.MOVING_WORLDS ?? 2) }, (_, index) => index + 1)

describe('a data set that is exported, imported into an empty key and exported again', () => {
  for (const seed of SEEDS)
    it(`is the same file: world ${seed}`, async () => {
      const [from, to] = [await newClient(), await newClient()]
      await fillRandomly(from, seed)
      const exported = await exportTo(file(`${seed}.ndjson`), from)
      await importWhole(file(`${seed}.ndjson`), to)
      for (const kind of Object.keys(STORED_KINDS)) assert.match(exported, new RegExp(`"record":"${kind}"`))
      assert.equal(await exportTo(file(`${seed}-again.ndjson`), to), exported)
      await importWhole(file(`${seed}.ndjson`), to)
      assert.equal(await exportTo(file(`${seed}-twice.ndjson`), to), exported, 'imported twice')
    })

  it('is the same file if custom fields have the names of fields of other objects, or of the file', async () => {
    const [from, to] = [await newClient(), await newClient()]
    const own = { record: 'r', metadata: { metadata: 1 }, profile: {}, userId: 'kim', documentId: 'd', createdAt: 1 }
    const { documentId: _documentId, ...ofDocuments } = { ...own, organizationId: 'other', parentFolderId: 'f' }
    const { userId: _userId, ...ofUsers } = { ...own, organizationId: 'other', role: ['author'], permissions: ['read'] }
    await from.organizations.add({ organizations: [{ ...own, organizationId: 'acme' }] })
    await from.documents.add({ organizationId: 'acme', documents: [{ ...ofDocuments, documentId: 'd' }] })
    await from.profiles.set({ users: [{ ...ofUsers, userId: 'ada' }] })
    const exported = await exportTo(file('names.ndjson'), from)
    await importWhole(file('names.ndjson'), to)
    assert.equal(await exportTo(file('names-again.ndjson'), to), exported)
    assert.match(exported, /"organizationId":"other"/)
  })

  it('is the same file if ids are names that every object has', async () => {
    const [from, to] = [await newClient(), await newClient()]
    for (const id of ['constructor', 'toString', '__proto__', 'acme']) {
      await from.organizations.add({ organizations: [{ organizationId: id }] })
      await from.folders.add({ organizationId: id, folders: [{ folderId: id }] })
      await from.documents.add({ organizationId: id, folderId: id, documents: [{ documentId: id }] })
      await from.grants.add({ grants: [{ userId: id, type: 'organization', id }] })
      await from.userGroups.add({ organizationId: id, organizationUserGroups: [{ groupId: id }] })
      await from.userGroupUsers.add({ organizationId: id, organizationUserGroupId: id, userIds: [id] })
      await from.profiles.set({ users: [{ userId: id }] })
    }
    await from.organizations.disable({ organizationIds: ['acme'], disabled: true })
    const exported = await exportTo(file('own-names.ndjson'), from)
    for (const times of ['once', 'twice']) {
      await importWhole(file('own-names.ndjson'), to)
      assert.equal(await exportTo(file('own-names-again.ndjson'), to), exported, times)
    }
  })

  it('is the same file if the grants have changed since an earlier import', async () => {
    const [from, to] = [await newClient(), await newClient()]
    const organizationId = 'acme'
    const on = { type: 'organization', id: organizationId } as const
    const expiresAt = 4_000_000_000
    await from.grants.add({
      grants: [{ userId: 'ada', ...on }, ...['bob', 'eve'].map((userId) => ({ userId, ...on, expiresAt }))],
    })
    await exportTo(file('before.ndjson'), from)
    await importWhole(file('before.ndjson'), to)
    await from.grants.add({
      grants: [
        { userId: 'ada', ...on, expiresAt, replaceExisting: true },
        { userId: 'bob', ...on, accessRole: 'viewer', replaceExisting: true },
        { userId: 'eve', ...on, accessRole: 'viewer' },
      ],
    })
    const exported = await exportTo(file('after.ndjson'), from)
    await importWhole(file('after.ndjson'), to)
    assert.equal(await exportTo(file('after-again.ndjson'), to), exported)
  })

  it('is the same file with invitations, in any order of addition, and without answered ones', async () => {
    const [from, to] = [await newClient(), await newClient()]
    const organizationId = 'acme'
    const ofDocument = { organizationId, type: 'doc_user', documentId: 'declared' } as const
    const invitedBy = { userId: 'ada', name: 'Ada', team: { b: 1, a: 2 } }
    await from.invitations.add({ ...ofDocument, email: 'Zoe@example.com', accessRole: 'viewer', invitedBy })
    await from.invitations.add({ ...ofDocument, email: 'bob@example.com', documentName: 'The plan' })
    await from.invitations.add({ organizationId, type: 'org_user', email: 'bob@example.com' })
    await from.invitations.add({ organizationId, type: 'org_user', email: 'eve@example.com' })
    await from.invitations.respond({ organizationId, type: 'org_user', email: 'eve@example.com', status: 'REJECTED' })
    const exported = await exportTo(file('invitations.ndjson'), from)
    await importWhole(file('invitations.ndjson'), to)
    assert.equal(await exportTo(file('invitations-again.ndjson'), to), exported)
    await importWhole(file('invitations.ndjson'), to)
    assert.equal(await exportTo(file('invitations-twice.ndjson'), to), exported, 'imported twice')
    const emails = exported.split('\n').flatMap((line) => /"email":"([^"]+)"/.exec(line)?.[1] ?? [])
    assert.deepEqual(emails, ['bob@example.com', 'Zoe@example.com', 'bob@example.com'])
  })

  it('has every group that a grant names, also one that was created during the export', async () => {
    const [from, to] = [await newClient(), await newClient()]
    const organizationId = 'acme'
    const folder = { type: 'folder', organizationId } as const
    await from.folders.add({ organizationId, createOrganization: true, folders: [{ folderId: 'plans' }] })
    for (const page of [0, 1, 2])
      await from.grants.add({
        grants: Array.from({ length: 1_000 }, (_, index) => ({
          userId: `u${index}`,
          ...folder,
          id: `f${page}`,
        })),
      })
    await from.grants.add({ grants: [{ userId: 'u0', type: 'organization', id: organizationId }] })
    const group = { organizationId, groupId: 'late' }
    let text = ''
    const write = async (part: string) => {
      text += part
      if (!part.includes('"record":"organization"')) return
      await from.userGroups.add({ organizationId, organizationUserGroups: [{ groupId: 'late', groupName: 'Late' }] })
      await from.permissions.add({ group, permissions: { resources: [{ ...folder, id: 'plans' }] } })
      await from.userGroupUsers.add({ organizationId, organizationUserGroupId: 'late', userIds: ['u0'] })
    }
    await exportKey(from, { write })
    writeFileSync(file('created-meanwhile.ndjson'), text)
    await importWhole(file('created-meanwhile.ndjson'), to)
    const lines = text.split('\n').filter((line) => line.includes('"groupId":"late"'))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).record),
      ['userGroup', 'grant', 'userGroupUser'],
    )
    // A group that was created after the groups had been read is among the grants.
    const sorted = (all: string) => all.split('\n').sort()
    assert.deepEqual(sorted(await exportTo(file('imported.ndjson'), to)), sorted(text))
  })

  it('is the same file if it is empty', async () => {
    const exported = await exportTo(file('empty.ndjson'), await newClient())
    const to = await newClient()
    await importWhole(file('empty.ndjson'), to)
    assert.equal(await exportTo(file('empty-again.ndjson'), to), exported)
    assert.match(exported, /^\{"record":"export","format":1,"of":"apiKey"\}\n.*\{"record":"end","records":2\}\n$/s)
  })

  it('is the same file with lists of many pages and trees of many levels', async () => {
    const [from, to] = [await newClient(), await newClient()]
    await fillRandomly(from, 99, { organizations: 2, folders: 0, documents: 0, users: 2, grants: 0 })
    const organizationId = 'large'
    const folders = Array.from({ length: 1_050 }, (_, index) => ({
      folderId: `f${index}`,
      ...(index === 0 ? {} : { parentFolderId: `f${Math.floor((index - 1) / 3)}` }),
    }))
    await from.organizations.add({ organizations: [{ organizationId }] })
    for (let at = 0; at < folders.length; at += 350)
      await from.folders.add({ organizationId, folders: folders.slice(at, at + 350) })
    for (let at = 0; at < 3; at++) {
      const documents = Array.from({ length: 350 }, (_, index) => ({ documentId: `d${at}-${index}`, n: index }))
      await from.documents.add({ organizationId, folderId: `f${at * 250}`, documents })
      await from.grants.add({
        grants: documents.map(({ documentId, n }) => ({
          userId: `u${n % 90}`,
          type: 'document',
          id: documentId,
          organizationId,
        })),
      })
      await from.grants.add({
        grants: documents.map(({ n }) => ({ userId: `m${at}-${n}`, type: 'organization', id: organizationId })),
      })
    }
    const exported = await exportTo(file('large.ndjson'), from)
    await importWhole(file('large.ndjson'), to)
    assert.equal(await exportTo(file('large-again.ndjson'), to), exported)
  })
})

describe('an import into a key that is not empty', () => {
  it('updates existing records to match the file, and keeps the others', async () => {
    const [from, to] = [await newClient(), await newClient()]
    const organizationId = 'acme'
    for (const client of [from, to]) await client.organizations.add({ organizations: [{ organizationId }] })
    await from.folders.add({
      organizationId,
      folders: [{ folderId: 'f', accessType: 'restricted' }, { folderId: 'g' }],
    })
    await from.documents.add({
      organizationId,
      folderId: 'f',
      documents: [{ documentId: 'd', documentName: 'D', color: 'red' }],
    })
    await from.documents.add({ organizationId, documents: [{ documentId: 'own', accessType: 'public' }] })
    await from.userGroups.add({ organizationId, organizationUserGroups: [{ groupId: 'x', groupName: 'X' }] })

    await to.folders.add({
      organizationId,
      folders: [
        { folderId: 'g', accessType: 'public' },
        { folderId: 'f', parentFolderId: 'g', folderName: 'F' },
      ],
    })
    await to.documents.add({
      organizationId,
      documents: [{ documentId: 'd', color: 'blue', accessType: 'restricted' }, { documentId: 'own' }],
    })
    await to.documents.disable({ organizationId, documentIds: ['d', 'own'], disabled: true })
    await to.userGroups.add({ organizationId, organizationUserGroups: [{ groupId: 'x' }] })
    const exported = await exportTo(file('from.ndjson'), from)
    await importWhole(file('from.ndjson'), to)
    assert.equal(await exportTo(file('to.ndjson'), to), exported)

    await to.documents.add({ organizationId, documents: [{ documentId: 'more' }] })
    await importWhole(file('from.ndjson'), to)
    const lines = (await exportTo(file('more.ndjson'), to)).split('\n')
    assert.ok(lines.includes('{"record":"document","organizationId":"acme","documentId":"more"}'))
  })

  it('sets null in one document, and keeps it in another whose id and field look alike', async () => {
    const [from, to] = [await newClient(), await newClient()]
    const organizationId = 'acme'
    for (const [client, a] of [
      [from, null],
      [to, 5],
    ] as const) {
      await client.organizations.add({ organizations: [{ organizationId }] })
      await client.documents.add({
        organizationId,
        documents: [
          { documentId: 'c', 'a b': null },
          { documentId: 'b c', a },
        ],
      })
    }
    await exportTo(file('nulls.ndjson'), from)
    await importWhole(file('nulls.ndjson'), to)
    const found = await to.documents.get({ organizationId, documentIds: ['b c'] })
    assert.equal((found[0] as { a?: unknown }).a ?? null, null)
  })

  it('uses the last of several lines about one record', async () => {
    const to = await newClient()
    const user = { record: 'user', userId: 'ada' }
    writeExport(file('twice.ndjson'), [
      { ...user, profile: { name: 'first' } },
      { ...user, profile: { name: 'last' } },
    ])
    const { records } = await importWhole(file('twice.ndjson'), to)
    assert.equal(records, 2)
    assert.deepEqual((await to.profiles.list()).profiles, [{ userId: 'ada', name: 'last' }])
  })

  it('opens nothing on the way that neither the target nor the file opens', async () => {
    const to = await newClient()
    const organizationId = 'acme'
    await to.organizations.add({ organizations: [{ organizationId }] })
    await to.folders.add({
      organizationId,
      folders: [
        { folderId: 'closed', accessType: 'restricted' },
        { folderId: 'open', accessType: 'public' },
        { folderId: 'opening', accessType: 'restricted' },
      ],
    })
    await to.folders.add({
      organizationId,
      folders: ['closing', 'leaving'].map((folderId) => ({ folderId, parentFolderId: 'opening' })),
    })
    await to.folders.add({ organizationId, folders: [{ folderId: 'inner', parentFolderId: 'closed' }] })
    for (const [folderId, ...ids] of [
      ['closed', 'own', 'off'],
      ['open', 'closed.by.itself'],
      ['inner', 'deep'],
      ['closing', 'in.closing'],
      ['leaving', 'in.leaving'],
      ['opening', 'kept.closed', 'switched.off'],
    ] as const)
      await to.documents.add({ organizationId, folderId, documents: ids.map((documentId) => ({ documentId })) })
    const restricted = { organizationId, documentIds: ['closed.by.itself'], accessType: 'restricted' } as const
    await to.documentAccess.set(restricted)
    const document = { record: 'document', organizationId }
    writeExport(file('no-opening.ndjson'), [
      { record: 'folder', organizationId, folderId: 'opening', accessType: 'public' },
      { record: 'folder', organizationId, folderId: 'closing', parentFolderId: 'opening', accessType: 'restricted' },
      { record: 'folder', organizationId, folderId: 'leaving', parentFolderId: 'closed' },
      { record: 'folder', organizationId, folderId: 'inner', parentFolderId: 'open', accessType: 'restricted' },
      { ...document, documentId: 'kept.closed', folderId: 'opening', accessType: 'restricted' },
      { ...document, documentId: 'switched.off', folderId: 'opening', disabled: true },
      { ...document, documentId: 'own', folderId: 'open', accessType: 'restricted' },
      { ...document, documentId: 'off', folderId: 'open', disabled: true },
      { ...document, documentId: 'closed.by.itself', folderId: 'closed' },
    ])
    const documentIds = [
      'own',
      'off',
      'closed.by.itself',
      'deep',
      'in.closing',
      'in.leaving',
      'kept.closed',
      'switched.off',
    ]
    let looks = 0
    const looking = afterEachCall(to, async () => {
      looks++
      const { eve } = await to.permissions.get({ organizationId, userIds: ['eve'], documentIds })
      for (const id of documentIds) assert.equal(eve?.documents?.[id]?.accessRole, undefined, id)
    })
    await importWhole(file('no-opening.ndjson'), looking)
    assert.ok(looks > 8)
  })

  it('uses the line before it if the last of several lines about one record is refused', async () => {
    const to = await newClient()
    const document = { record: 'document', organizationId: 'acme', documentId: 'plan' }
    const grant = { record: 'grant', userId: 'ada', type: 'document', id: 'plan', organizationId: 'acme' }
    writeExport(file('refused-again.ndjson'), [
      { record: 'settings', requireKnownResources: true },
      { record: 'organization', organizationId: 'acme' },
      { ...document, documentName: 'first' },
      { ...document, documentName: 'second' },
      { ...document, folderId: 'nowhere' },
      { ...document, folderId: 'elsewhere' },
      { ...grant, accessRole: 'viewer' },
    ])
    const { records, failed, errorsFile } = await importFrom(file('refused-again.ndjson'), to)
    assert.deepEqual([records, failed], [5, 2])
    assert.deepEqual(
      faultsIn(errorsFile)
        .map(({ line }) => line)
        .sort(),
      [6, 7],
    )
    const found = await to.documents.get({ organizationId: 'acme', documentIds: ['plan'] })
    assert.equal((found[0] as { documentName?: string }).documentName, 'second')
    assert.equal((await to.grants.list({ organizationId: 'acme' })).grants.length, 1)
  })
})

/** Returns a client that waits for `look` after each of its calls. */
function afterEachCall<Target extends object>(target: Target, look: () => Promise<void>): Target {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name)
      return value instanceof Object ? afterEachCall(value, look) : value
    },
    async apply(call, self, values) {
      const result = await Reflect.apply(call as never, self, values)
      await look()
      return result
    },
  })
}

describe('a workspace', () => {
  it('is moved with all its keys: existing ones are found by name, missing ones created', async () => {
    const [from, to] = [await newCallers(server.url), await newCallers(server.url)]
    const workspaces = [from, to].map(({ workspace }) => workspaceClient(server.url, workspace))
    const [source, target] = workspaces as [(typeof workspaces)[0], (typeof workspaces)[0]]
    for (const workspace of workspaces)
      for (const [index, { id }] of (await workspace.apiKeys.get()).entries())
        await workspace.apiKeys.update({ apiKey: id, apiKeyName: `First ${index}` })
    const connect = (apiKey: string, authToken: string) => createClient({ url: server.url, apiKey, authToken })
    await source.apiKeys.create({ apiKeyName: 'Staging', type: 'testing', ownerEmail: 'ada@example.com' })
    await source.apiKeys.create({
      apiKeyName: 'Live',
      type: 'production',
      customPlanInfo: true,
      ownerEmail: 'ada@example.com',
    })
    for (const [index, { id }] of (await source.apiKeys.get()).entries())
      await fillRandomly(await clientForImport(source, connect, id), 50 + index, SMALLEST)
    const exportOf = async (workspace: typeof source): Promise<string> => {
      let text = ''
      const write = async (part: string) => {
        text += part
      }
      await exportWorkspace(workspace, (id) => clientForExport(workspace, connect, id), { write })
      return text
    }
    const exported = await exportOf(source)
    writeFileSync(file('workspace.ndjson'), exported)
    const { failed, cutOff } = await importFile({
      file: file('workspace.ndjson'),
      target: 'the workspace',
      entriesOf: (input, after) => exportEntries(input, 'workspace', after),
      clientOf: async (key) => clientForImport(target, connect, await keyFor(target, key ?? assert.fail())),
    })
    assert.deepEqual([failed, cutOff], [0, undefined])
    assert.equal(await exportOf(target), exported)
    assert.equal((exported.match(/"record":"apiKey"/g) ?? []).length, 4)
  })
})

describe('an export', () => {
  it('contains no secret, nor the name of its key', async () => {
    const headers = await server.newKey()
    const client = apiKeyClient(server.url, headers)
    await fillRandomly(client, 7, SMALLEST)
    await exportTo(file('secrets.ndjson'), client)
    const text = readFileSync(file('secrets.ndjson'), 'utf8')
    for (const secret of Object.values(headers.headers)) assert.ok(!text.includes(secret))
  })

  it('can be aborted', async () => {
    const client = await newClient()
    await fillRandomly(client, 8, SMALLEST)
    const controller = new AbortController()
    const write = async () => controller.abort()
    await assert.rejects(exportKey(client, { write, signal: controller.signal }), { name: 'AbortError' })
  })
})
