/**
 * Random sequences of changes, decided by the server and by the model of version 0.1: they agree wherever nobody has a second
 * grant on a resource, no group holds one, and no user is disabled. `SEQUENCES` sets their number, `SEED` repeats a run.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { checkPermissions, type Decision } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments, disableDocuments, moveDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addFolders, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import { addOrganizations, disableOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { FULL } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { decideEarlier, type EarlierResource } from './earlier-model.ts'
import { ACCESS_TYPES, ROLES, USERS } from './worlds.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? (FULL ? 60 : 10))
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
const NOW = 1_000
/** The expiries of temporary grants: one in the past, and one at the time of the second comparison. */
const EXPIRIES = [NOW - 1, NOW + 100]
/** The number of changes between two comparisons. */
const AT_ONCE = 5

const server = await startServer()
afterAll(() => server.clock.set(null))

const user = fc.constantFrom(...USERS)
const folder = fc.constantFrom('f0', 'f1')
const document = fc.constantFrom('d0', 'd1', 'd2')
const accessType = fc.constantFrom(...ACCESS_TYPES, null)
const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      user,
      on: fc.oneof(fc.constant('o'), folder, document),
      role: fc.constantFrom(...ROLES),
      expiresAt: fc.option(fc.constantFrom(...EXPIRIES), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('revoke' as const),
      user,
      on: fc.oneof(fc.constant('o'), folder, document),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open folder' as const), id: folder, accessType }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open document' as const), id: document, accessType }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move folder' as const), to: fc.constantFrom('o', 'f0') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('move document' as const),
      id: document,
      to: fc.oneof(fc.constant('o'), folder),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('disable document' as const), id: document, disabled: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disable organization' as const), disabled: fc.boolean() }) },
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

type World = Record<string, EarlierResource>

const resourceIn = (world: World, id: string): EarlierResource => world[id] ?? assert.fail(`no ${id}`)

/** `f1` is in `f0`, `d0` in the organization, `d1` in `f0`, `d2` in `f1`. */
async function newWorld(client: Client, organizationId: string): Promise<World> {
  const make = (type: EarlierResource['type'], id: string, parent?: EarlierResource): EarlierResource => ({
    type,
    id,
    ...(parent && { parent }),
    disabled: false,
    grants: new Map(),
  })
  const o = make('organization', organizationId)
  const f0 = make('folder', 'f0', o)
  const f1 = make('folder', 'f1', f0)
  await client.call(addOrganizations, { organizations: [{ organizationId }] })
  await client.call(addFolders, {
    organizationId,
    folders: [{ folderId: 'f0' }, { folderId: 'f1', parentFolderId: 'f0' }],
  })
  const places = [
    ['d0', o],
    ['d1', f0],
    ['d2', f1],
  ] as const
  for (const [documentId, parent] of places)
    await client.call(addDocuments, {
      organizationId,
      ...(parent === o ? {} : { folderId: parent.id }),
      documents: [{ documentId }],
    })
  return { o, f0, f1, ...Object.fromEntries(places.map(([id, parent]) => [id, make('document', id, parent)])) }
}

const nameOf = ({ o }: World, { type, id }: EarlierResource) =>
  type === 'organization' ? { type, id } : { type, id, organizationId: o?.id ?? '' }

/** Makes a change in the server and in the earlier model, unless it would give somebody a second grant on a resource. */
async function apply(client: Client, world: World, made: Change): Promise<void> {
  const o = resourceIn(world, 'o')
  const organizationId = o.id
  switch (made.do) {
    case 'grant': {
      const on = resourceIn(world, made.on)
      const there = on.grants.get(made.user)
      if (there !== undefined && (there.expiresAt === undefined) !== (made.expiresAt === undefined)) return
      const given = made.expiresAt === undefined ? {} : { expiresAt: made.expiresAt }
      on.grants.set(made.user, { role: made.role, ...given })
      const resources = [{ ...nameOf(world, on), accessRole: made.role, ...given }]
      await client.call(addPermissions, { user: { userId: made.user }, permissions: { resources } })
      return
    }
    case 'revoke': {
      const on = resourceIn(world, made.on)
      on.grants.delete(made.user)
      await client.call(removePermissions, { userId: made.user, permissions: { resources: [nameOf(world, on)] } })
      return
    }
    case 'open folder':
    case 'open document': {
      const resource = resourceIn(world, made.id)
      if (made.accessType === null) delete resource.accessType
      else resource.accessType = made.accessType
      const access = made.accessType === null ? { inheritFromParent: true } : { accessType: made.accessType }
      if (made.do === 'open folder')
        await client.call(setFolderAccess, { organizationId, folderIds: [made.id], ...access })
      else await client.call(setDocumentAccess, { organizationId, documentIds: [made.id], ...access })
      return
    }
    case 'move folder': {
      resourceIn(world, 'f1').parent = resourceIn(world, made.to)
      const parentFolderId = made.to === 'o' ? 'root' : made.to
      await client.call(updateFolders, { organizationId, folders: [{ folderId: 'f1', parentFolderId }] })
      return
    }
    case 'move document': {
      resourceIn(world, made.id).parent = resourceIn(world, made.to)
      const folderId = made.to === 'o' ? 'root' : made.to
      await client.call(moveDocuments, { organizationId, documentIds: [made.id], folderId })
      return
    }
    case 'disable document':
      resourceIn(world, made.id).disabled = made.disabled
      await client.call(disableDocuments, { organizationId, documentIds: [made.id], disabled: made.disabled })
      return
    case 'disable organization':
      o.disabled = made.disabled
      await client.call(disableOrganizations, { organizationIds: [organizationId], disabled: made.disabled })
  }
}

/** Version 0.1 named the organization where the default of the key gave access. */
const inEarlierWords = (world: World, decision: Decision): Decision =>
  decision.via?.type === 'keyDefault'
    ? { ...decision, via: { type: 'organization', id: resourceIn(world, 'o').id, inherited: true } }
    : decision

async function compare(client: Client, world: World, keyDefault: (typeof ACCESS_TYPES)[number]): Promise<void> {
  for (const now of [NOW, NOW + 100]) {
    setClock(now)
    const cells = USERS.flatMap((userId) =>
      Object.values(world).map((resource, nth) => ({ userId, resource, atLeast: ROLES[nth % 2] ?? 'viewer' })),
    )
    const checks = cells.map((cell) => ({ ...cell, resource: nameOf(world, cell.resource) }))
    const answer = await client.call(checkPermissions, { checks })
    assert.deepEqual(
      answer.checks.map((decision) => inEarlierWords(world, decision)),
      cells.map(({ userId, resource, atLeast }) => decideEarlier(resource, userId, now, keyDefault, atLeast)),
    )
  }
  setClock(NOW)
}

/** The time in seconds. The clock never shows today while there are grants, because grants that expired decades ago would be deleted. */
const setClock = (now: number): void => server.clock.set(new Date(now * 1000))

describe('access that version 0.1 could express', () => {
  it(`is decided as before, after ${SEQUENCES} random sequences of changes`, async () => {
    let made = 0
    const sequence = fc.array(change, { minLength: 10, maxLength: 40 })
    const property = fc.asyncProperty(fc.constantFrom(...ACCESS_TYPES), sequence, async (keyDefault, changes) => {
      server.clock.set(null)
      const client = await server.newKey()
      await client.call(updateKeyConfig, { defaultDocumentAccessType: keyDefault })
      const world = await newWorld(client, `o${++made}`)
      setClock(NOW)
      for (let start = 0; start < changes.length; start += AT_ONCE) {
        for (const one of changes.slice(start, start + AT_ONCE)) await apply(client, world, one)
        await compare(client, world, keyDefault)
      }
    })
    await fc.assert(property, { numRuns: SEQUENCES, ...SEED })
  })
})
