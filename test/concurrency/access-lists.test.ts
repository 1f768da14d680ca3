/**
 * Lists of access during concurrent changes: an entry that exists throughout is on exactly one page, also when it is
 * moved to another folder, gets another id, or moves with its folder.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions, type ResourceName, removePermissions } from '#contract/access/permissions.ts'
import type { Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, deleteDocuments, moveDocuments } from '#contract/resources/documents.ts'
import { addFolders, deleteFolder, updateFolders } from '#contract/resources/folders.ts'
import { addUserGroups, addUserGroupUsers, deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { pagesOf } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { FULL } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
/** The page size of each reading. */
const PAGE_SIZES = FULL ? [1, 3, 7] : [3, 7]
const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth)

/** Reads page by page while `writers` work, and returns each reading. */
async function readWhile(
  acme: Acme,
  operation: typeof listPermittedResources | typeof listPermittedUsers,
  data: object,
  writers: ((round: number) => Promise<unknown>)[],
): Promise<string[][]> {
  let reading = true
  const writing = writers.map(async (write) => {
    for (let round = 0; reading; round++) await write(round)
  })
  const readings: string[][] = []
  try {
    for (const pageSize of PAGE_SIZES) {
      const found: string[] = []
      for await (const page of pagesOf((pageToken) =>
        acme.key.post(operation.path, { ...data, pageSize, pageToken }),
      )) {
        const { resources, users } = page.data
        found.push(...(resources ?? []).map(({ type, id }: ResourceName) => `${type} ${id}`))
        found.push(...(users ?? []).map(({ userId }: { userId: string }) => userId))
      }
      readings.push(found)
    }
  } finally {
    reading = false
    await Promise.all(writing)
  }
  return readings
}

function assertThroughout(readings: string[][], throughout: string[]): void {
  for (const found of readings) {
    assert.deepEqual(
      throughout.filter((name) => !found.includes(name)),
      [],
      'was there throughout, and is on no page',
    )
    assert.deepEqual(
      found.filter((name, nth) => throughout.includes(name) && found.indexOf(name) !== nth),
      [],
      'is on two pages',
    )
  }
}

describe('permitted-resources.list, while others write', () => {
  // With more than 100 open folders, pages are found by scanning the organization.
  for (const folders of [6, 130])
    it(`contains each resource that existed throughout exactly once, with ${folders} open folders`, async () => {
      const acme = await newAcme(server)
      await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
      const call = (operation: Operation, data: object) => acme.call(operation, data)
      await call(addFolders, {
        folders: [
          ...['open', 'also open', 'closed'].map((folderId) => ({ folderId })),
          ...numbers(folders).map((nth) => ({ folderId: `f${nth}`, parentFolderId: 'open' })),
        ],
      })
      for (const nth of numbers(6))
        await acme.addDocuments(`f${nth}`, ...numbers(10).map((of) => ({ documentId: `d${nth} ${of}` })))
      await acme.addDocuments('closed', { documentId: 'own' }, ...numbers(30).map((of) => ({ documentId: `no ${of}` })))
      for (const id of ['open', 'also open']) await acme.grant('folder', id, 'ada')
      await acme.grant('document', 'own', 'ada')

      const migrate = (documentId: string, newDocumentId: string) =>
        completeMigration(acme.key, { organizationId, documentId, newDocumentId })
      const readings = await readWhile(acme, listPermittedResources, { organizationId, userId: 'ada' }, [
        (round) =>
          call(moveDocuments, {
            documentIds: numbers(10).map((of) => `d${round % 3} ${of}`),
            folderId: ['f3', 'also open', 'open', 'f4'][round % 4],
          }),
        (round) =>
          call(updateFolders, {
            folders: [{ folderId: `f${round % 6}`, parentFolderId: ['also open', 'open', 'f5'][(round >> 1) % 3] }],
          }),
        async (round) => {
          await call(addFolders, { folders: [{ folderId: `new ${round}`, parentFolderId: 'open' }] })
          await acme.addDocuments(`new ${round}`, { documentId: `new ${round}` })
          await acme.grant('document', `no ${round % 30}`, 'ada')
          await call(deleteDocuments, { documentIds: [`new ${round - 2}`, `no ${(round + 9) % 30}`] })
          await call(deleteFolder, { folderId: `new ${round}` })
          await call(addDocuments, { folderId: 'closed', documents: [{ documentId: `no ${(round + 9) % 30}` }] })
        },
        (round) => migrate(round % 2 === 0 ? 'd5 0' : 'migrated', round % 2 === 0 ? 'migrated' : 'd5 0'),
      ])
      const renamed = (name: string) => (name === 'document migrated' ? 'document d5 0' : name)
      const documents = numbers(60).map((nth) => `document d${Math.floor(nth / 10)} ${nth % 10}`)
      assertThroughout(
        readings.map((found) => found.map(renamed)),
        [
          ...['open', 'also open', ...numbers(folders).map((nth) => `f${nth}`)].map((id) => `folder ${id}`),
          ...documents,
          'document own',
        ],
      )
      await acme.assertStructure()
    })
})

describe('permitted-users.list, while others write', () => {
  it('contains each user who had access throughout exactly once, also when the source of the access changes', async () => {
    const acme = await newAcme(server)
    await acme.addTree({ f: ['root', 'restricted'] })
    await acme.addDocuments('f', { documentId: 'd' })
    const resource = { type: 'document' as const, id: 'd', organizationId }
    const inFolder = { type: 'folder' as const, id: 'f', organizationId }
    const ids = numbers(40).map((nth) => `u${nth}`)
    await acme.grant('folder', 'f', ...ids.slice(0, 30))
    await acme.grant('document', 'd', ...ids.slice(20))
    const take = (userId: string, of: ResourceName) =>
      acme.key.call(removePermissions, { userId, permissions: { resources: [of] } })
    const give = (userId: string, of: ResourceName) =>
      acme.key.call(addPermissions, { user: { userId }, permissions: { resources: [of] } })
    const readings = await readWhile(acme, listPermittedUsers, { resource }, [
      async (round) => {
        const userId = `u${20 + (round % 10)}`
        await take(userId, round % 2 === 0 ? resource : inFolder)
        await give(userId, round % 2 === 0 ? resource : inFolder)
      },
      async (round) => {
        await give(`u${round % 40}-other`, inFolder)
        await take(`u${(round + 20) % 40}-other`, inFolder)
      },
    ])
    assertThroughout(readings, ids)
  })

  it('contains each user who was in one of two groups throughout exactly once', async () => {
    const acme = await newAcme(server)
    await acme.addTree({ f: ['root', 'restricted'] })
    const resource = { type: 'folder' as const, id: 'f', organizationId }
    const userIds = numbers(40).map((nth) => `u${nth}`)
    await acme.call(addUsers, { users: userIds.map((userId) => ({ userId })) })
    const groupIds = ['a', 'b'] as const
    await acme.call(addUserGroups, { organizationUserGroups: groupIds.map((groupId) => ({ groupId })) })
    await acme.key.call(addGrants, { grants: groupIds.map((groupId) => ({ groupId, ...resource })) })
    const usersOf = (group: number, userIds: string[]) => ({ organizationUserGroupId: groupIds[group % 2], userIds })
    await acme.call(addUserGroupUsers, usersOf(0, userIds))
    const readings = await readWhile(acme, listPermittedUsers, { resource }, [
      async (round) => {
        const userId = [`u${round % 40}`]
        const from = Math.floor(round / 40)
        await acme.call(addUserGroupUsers, usersOf(from + 1, userId))
        await acme.call(deleteUserGroupUsers, usersOf(from, userId))
      },
    ])
    assertThroughout(readings, userIds)
  })

  it('contains, with inside, each user who had access to something inside throughout exactly once', async () => {
    const acme = await newAcme(server)
    await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
    await acme.addTree({ f: ['root', 'restricted'], g: 'f', h: 'f', empty: 'f' })
    await acme.addDocuments('g', { documentId: 'd' })
    const resource = { type: 'folder' as const, id: 'f', organizationId }
    const inside: ResourceName[] = [
      { type: 'document', id: 'd', organizationId },
      { type: 'folder', id: 'empty', organizationId },
    ]
    const ids = numbers(40).map((nth) => `u${nth}`)
    await acme.grant('document', 'd', ...ids)
    const readings = await readWhile(acme, listPermittedUsers, { resource, inside: true }, [
      async (round) => {
        const userId = `u${round % 40}`
        const permissions = (nth: number) => ({
          resources: [inside[(Math.floor(round / 40) + nth) % 2] as ResourceName],
        })
        await acme.key.call(addPermissions, { user: { userId }, permissions: permissions(1) })
        await acme.key.call(removePermissions, { userId, permissions: permissions(0) })
      },
      (round) => acme.call(updateFolders, { folders: [{ folderId: 'g', parentFolderId: ['f', 'h'][round % 2] }] }),
      async (round) => {
        const other = { user: { userId: `u${round % 40}-other` }, permissions: { resources: [resource] } }
        await acme.key.call(addPermissions, other)
      },
    ])
    assertThroughout(readings, ids)
  })
})
