/** `access matrix` shows who has access to what in a whole folder or organization, as a table, as JSON and as CSV. */
import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, it } from 'vitest'
import { listPermittedResources } from '#contract/access/access-lists.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { type Environment, environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { sharedServer } from '#testing/server.ts'
import { exitCode } from '../../cli/exit-codes.ts'
import { newCallers } from '../conformance/support/callers.ts'

const server = await sharedServer()
const organizationId = 'acme'
/**
 * Users without a grant on Payroll itself, ids that a spreadsheet would compute, and ids that sort differently by bytes
 * than in JavaScript.
 */
const USERS = ['=1+1', 'ada', 'a,"b"', 'bob', '\uFFFD', '😀'] as const

let environment: Environment
let key: Client

const name = (type: ResourceName['type'], id: string): ResourceName => ({ type, id, organizationId })
const grant = (userId: string, resource: ResourceName, more: object = {}) =>
  key.call(addPermissions, { user: { userId }, permissions: { resources: [{ ...resource, ...more }] } })
const matrix = (...args: string[]) => cli(['access', 'matrix', ...args], environment)

beforeAll(async () => {
  const callers = await newCallers(server.url)
  environment = environmentOf(server.url, callers)
  key = callers.apiKey
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  const folders = [{ folderId: 'payroll' }, { folderId: 'bonus', parentFolderId: 'payroll' }, { folderId: 'other' }]
  await key.call(addFolders, { organizationId, folders })
  const documents = [{ documentId: 'list' }, { documentId: 'calendar', accessType: 'public' as const }]
  await key.call(addDocuments, { organizationId, folderId: 'bonus', documents })
  await key.call(addUsers, { organizationId, users: [{ userId: 'member', accessRole: 'viewer' }] })
  await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'hr' }] })
  await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: 'hr', userIds: ['member'] })
  const group = { organizationId, groupId: 'hr' }
  await key.call(addPermissions, { group, permissions: { resources: [name('folder', 'bonus')] } })
  for (const userId of USERS) await grant(userId, name('document', 'list'), { accessRole: 'viewer' })
  await grant('owner', name('folder', 'payroll'), { accessRole: 'viewer', expiresAt: 2_000_000_000 })
  await grant('elsewhere', name('folder', 'other'))
})

describe('the matrix of a folder', () => {
  it('has everyone first, then each user with each resource at any depth and the reason', async () => {
    const { code, stdout } = await matrix('folder:payroll', '--org', 'acme')
    assert.equal(code, 0)
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/).join(' | '))
    assert.deepEqual(lines.slice(0, 2), [
      'WHO | RESOURCE | ROLE | REASON | VIA | EXPIRES',
      'everyone | document:calendar | editor | access_type | document:calendar',
    ])
    assert.ok(lines.includes('user:member | document:list | editor | grant | folder:bonus by group:hr'))
    assert.ok(lines.includes('user:owner | folder:payroll | viewer | grant | folder:payroll | 2033-05-18T03:33:20Z'))
    assert.ok(lines.includes('user:ada | document:list | viewer | grant | document:list'))
    assert.doesNotMatch(stdout, /elsewhere/)
  })

  it('has exactly the entries of the lists of resources, in the order of user ids', async () => {
    const { stdout } = await matrix('folder:payroll', '--org', 'acme', '--json')
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const expected: object[] = []
    const users = [...USERS, 'member', 'owner', 'elsewhere'].sort((one, other) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other)),
    )
    for (const userId of ['nobody', ...users]) {
      const { resources } = await key.call(listPermittedResources, { organizationId, userId, folderId: 'payroll' })
      const who = userId === 'nobody' ? { everyone: true } : { userId }
      const own = resources.filter(({ reason, accessRole }) => reason !== 'access_type' || accessRole !== 'editor')
      expected.push(...(userId === 'nobody' ? resources : own).map((resource) => ({ ...who, ...resource })))
    }
    assert.deepEqual(rows, expected)
  })

  it('is CSV in which no cell is a formula', async () => {
    const { stdout } = await matrix('organization:acme', '--csv', '--at-least', 'viewer')
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    assert.deepEqual(rows[0], {
      everyone: 'true',
      userId: '',
      type: 'document',
      id: 'calendar',
      organizationId: 'acme',
      accessRole: 'editor',
      accessType: 'public',
      reason: 'access_type',
      viaType: 'document',
      viaId: 'calendar',
      group: '',
      expiresAt: '',
    })
    assert.deepEqual(
      rows.filter(({ id, accessRole }) => id === 'list' && accessRole === 'viewer').map(({ userId }) => userId),
      ["'=1+1", 'a,"b"', 'ada', 'bob', 'owner', '\uFFFD', '😀'],
    )
    const last = rows.find(({ userId, id }) => userId === 'owner' && id === 'list')
    assert.equal(last?.expiresAt, '2033-05-18T03:33:20Z')
    assert.ok(rows.some(({ userId }) => userId === 'elsewhere'))
  })

  it('is refused for a document, and without the organization of a folder', async () => {
    for (const args of [
      ['document:list', '--org', 'acme'],
      ['folder:payroll'],
      ['organization:acme', '--org', 'other'],
    ])
      assert.equal((await matrix(...args)).code, 2)
    assert.equal((await matrix('folder:nope', '--org', 'acme')).code, 5)
  })

  it('has users with grants inside a folder that is public itself', async () => {
    const folders = [
      { folderId: 'lobby', accessType: 'public' as const },
      { folderId: 'safe', parentFolderId: 'lobby', accessType: 'restricted' as const },
    ]
    await key.call(addFolders, { organizationId, folders })
    await grant('visitor', name('folder', 'safe'), { accessRole: 'viewer' })
    const { stdout } = await matrix('folder:lobby', '--org', 'acme', '--csv')
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    assert.deepEqual(
      rows.map(({ everyone, userId, id, accessRole }) => [everyone || userId, id, accessRole]),
      [
        ['true', 'lobby', 'editor'],
        ['member', 'lobby', 'viewer'],
        ['visitor', 'safe', 'viewer'],
      ],
    )
  })

  it('has users whose grant above the folder gives a weaker role on public contents than everyone has', async () => {
    const folders = [
      { folderId: 'vault', accessType: 'restricted' as const },
      { folderId: 'window', parentFolderId: 'vault', accessType: 'public' as const },
    ]
    await key.call(addFolders, { organizationId, folders })
    const { stdout } = await matrix('folder:vault', '--org', 'acme', '--csv')
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    assert.deepEqual(
      rows.map(({ everyone, userId, id, accessRole }) => [everyone || userId, id, accessRole]),
      [
        ['true', 'window', 'editor'],
        ['member', 'window', 'viewer'],
      ],
    )
  })

  it('has everyone with access to a folder that has too much inside for the list with --inside', async () => {
    await key.call(addFolders, { organizationId, folders: [{ folderId: 'archive' }] })
    const documents = Array.from({ length: LIMITS.insideResourcesMax + 1 }, (_, nth) => ({
      documentId: `paper ${nth}`,
    }))
    for (let start = 0; start < documents.length; start += 1_000) {
      const some = documents.slice(start, start + 1_000)
      await key.call(addDocuments, { organizationId, folderId: 'archive', documents: some })
    }
    await grant('owner', name('folder', 'archive'))
    for (const userId of ['bob', 'ada']) await grant(userId, name('document', 'paper 7'))
    const { stdout } = await matrix('folder:archive', '--org', 'acme', '--csv')
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    const users = Object.entries(Object.groupBy(rows, ({ userId }) => String(userId)))
    assert.deepEqual(
      users.map(([userId, own]) => [userId, own?.length]),
      [
        ['ada', 1],
        ['bob', 1],
        ['member', LIMITS.insideResourcesMax + 2], // by the grant on the organization of an earlier test
        ['owner', LIMITS.insideResourcesMax + 2],
      ],
    )
    const list = (...more: string[]) =>
      cli(['access', 'users', 'folder:archive', '--org', 'acme', ...more], environment)
    const others =
      'folder:archive contains too much to list the users with access to something inside. Ask about a folder inside it.\n'
    assert.match((await list()).stdout, new RegExp(`^USER .*\nmember .*\nowner .*\n${others}$`))
    const { code, stderr } = await list('--inside')
    assert.equal(code, exitCode('refused'))
    assert.match(stderr, /More than 10,000 folders and documents are inside.*\n.*commonhold folder list/)
  })
})
