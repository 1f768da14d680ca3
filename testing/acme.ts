/** The organization `acme` under an API key of its own, with helpers to fill, change and inspect it. */
import assert from 'node:assert/strict'
import { getPermissions } from '#contract/access/decisions.ts'
import { type AccessType, addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { Operation } from '#contract/core/operation.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { apiKeyOf } from '../test/conformance/support/callers.ts'
import { eventsDuring } from '../test/conformance/support/events.ts'
import { assertStructure } from '../test/matrix/structure.ts'
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

export const organizationId = 'acme'

/** Folders by id, each with its parent and perhaps an access type of its own. Parents can follow their children. */
export type Tree = Record<string, string | [parent: string, accessType: AccessType]>

// biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas
type AnyOperation = Operation<any, any>

export type Acme = Awaited<ReturnType<typeof newAcme>>

export async function newAcme(server: TestServer) {
  const key = await server.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  const acme = {
    key,
    post: (operation: AnyOperation, data: object = {}) => key.post(operation.path, { organizationId, ...data }),

    /** Makes a call that must succeed, and returns `result.data`. */
    // biome-ignore lint/suspicious/noExplicitAny: as each operation has it
    call: (operation: AnyOperation, data: object = {}): Promise<any> =>
      key.call(operation, { organizationId, ...data }),

    async addTree(tree: Tree) {
      const folders = Object.entries(tree).map(([folderId, place]) => {
        const [parentFolderId, accessType] = typeof place === 'string' ? [place] : place
        return { folderId, parentFolderId, accessType }
      })
      const added = await key.call(addFolders, { organizationId, folders })
      for (const [id, { success, message }] of Object.entries(added)) assert.ok(success, `${id}: ${message}`)
    },

    async addDocuments(folderId: string, ...documents: { documentId: string; [field: string]: unknown }[]) {
      const added = await key.call(addDocuments, { organizationId, folderId, documents })
      for (const [id, { success, message }] of Object.entries(added)) assert.ok(success, `${id}: ${message}`)
    },

    /** Makes users viewers. A folder or document that does not exist is declared. */
    async grant(type: ResourceName['type'], id: string, ...userIds: string[]) {
      const resource = {
        type,
        id,
        accessRole: 'viewer' as const,
        ...(type === 'organization' ? {} : { organizationId }),
      }
      for (const userId of userIds)
        await key.call(addPermissions, { user: { userId }, permissions: { resources: [resource] } })
    },

    /** Returns the reasons of the decisions about a user and each of the folders or documents. */
    async reasons(type: 'folder' | 'document', userId: string, ...ids: string[]) {
      const asked = { userIds: [userId], [`${type}Ids`]: ids, skipResourceExistenceValidation: true }
      const { folders, documents } = (await key.call(getPermissions, { organizationId, ...asked }))[userId] ?? {}
      return ids.map((id) => (folders ?? documents)?.[id]?.reason)
    },

    /** Runs `work` and returns the events that it writes. */
    async events(work: () => Promise<unknown>) {
      const events = await eventsDuring(server.db, apiKeyOf(key), work)
      return events.map(({ type, resourceId: id, before, after }) => ({ type, id, before, after }))
    },

    assertStructure: () =>
      assertStructure(server.db, [organizationKey({ apiKeyId: apiKeyOf(key) as ApiKeyId }, organizationId)]),
  }
  return acme
}

/** Replaces assigned ids and times, which differ between API keys. */
const comparable = (value: unknown, key: Client): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(apiKeyOf(key), 'the key')
      .replace(/"id":"[0-9a-f]{32}"/g, '"id":"given"')
      .replace(/"(createdAt|lastUpdated)":\d+/g, '"$1":0'),
  )

/**
 * Sends `data(items)` in one `world`, and `data([item])` for each item in an identical one, and asserts that the
 * results, the state afterwards (`look`) and the events are equal.
 */
export async function assertSameAsSingles<Item>(
  server: TestServer,
  operation: AnyOperation,
  items: readonly Item[],
  data: (items: readonly Item[]) => object,
  { world, look }: { world: (acme: Acme) => Promise<unknown>; look: (acme: Acme) => Promise<unknown> },
): Promise<void> {
  const outcomes: unknown[] = []
  for (const calls of [[items], items.map((item) => [item])]) {
    const acme = await newAcme(server)
    await world(acme)
    const results = {}
    const events = await acme.events(async () => {
      for (const call of calls) Object.assign(results, await acme.call(operation, data(call)))
    })
    events.sort((one, other) => (`${one.type} ${one.id}` < `${other.type} ${other.id}` ? -1 : 1))
    await acme.assertStructure()
    outcomes.push(comparable({ results, seen: await look(acme), events }, acme.key))
  }
  assert.deepEqual(outcomes[0], outcomes[1])
}
