/**
 * The lists of access in random worlds, with any page size and any filter, contain exactly what `permissions/check`
 * allows, with the same decisions. `WORLDS` and `SEED` as in worlds.test.ts.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type ListedResource, listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { checkPermissions, type Decision } from '#contract/access/decisions.ts'
import type { AccessRole } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { LIST_BY_FOLDER } from '#features/permissions/lists/by-folder-statements.ts'
import { LIST_BY_SCAN } from '#features/permissions/lists/by-scan-statements.ts'
import { FIRST_KEY, outcomeOf, resourcesIn } from '#features/permissions/lists/listed-resources.ts'
import type { ListedKind } from '#features/permissions/lists/resource-statements.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { buildWorld, setDisabled, type World } from './build.ts'
import { compareInside } from './compared-inside.ts'
import { chainOf, type Defaults, type Key, type Resource } from './interpreter.ts'
import { ALL_ROLES, DEFAULTS, EXPIRIES, settingsOf, USERS, world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 25)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
const PAGE_SIZES = [1, 2, 7, 100, 1000]
const TIMES = [EXPIRIES[0] - 1, EXPIRIES[0], EXPIRIES[1]]

const server = await startServer()
const keys = new Map<Defaults, Client>()
for (const defaults of DEFAULTS) {
  const key = await server.newKey()
  await key.call(updateKeyConfig, settingsOf(defaults))
  keys.set(defaults, key)
}

const resourcesOf = ({ organization, folders, documents }: World): Resource[] => [
  organization,
  ...folders.values(),
  ...documents.values(),
]

type Name = Pick<ListedResource, 'type' | 'id' | 'organizationId'>
const nameOf = ({ organization }: World, { type, id }: Resource): Name => ({
  type,
  id,
  ...(type === 'organization' ? {} : { organizationId: organization.id }),
})

/** Returns the items of all pages, and asserts that only the last page has no token. */
async function pages<Data>(
  read: (
    pageToken?: string,
  ) => Promise<{ http: number; text: string; body: { result: { data: Data; nextPageToken?: string } } }>,
): Promise<Data[]> {
  const all: Data[] = []
  for await (const { data } of pagesOf(read)) all.push(data)
  return all
}

const byName = (one: { type: string; id: string }, other: { type: string; id: string }) =>
  `${one.type} ${one.id}` < `${other.type} ${other.id}` ? -1 : 1

async function checkAll(made: World, userId: string, atLeast?: AccessRole) {
  const resources = resourcesOf(made)
  const checks = resources.map((resource) => ({
    userId,
    resource: nameOf(made, resource),
    ...(atLeast && { atLeast }),
  }))
  const { checks: answers } = await made.client.call(checkPermissions, { checks })
  return resources.map((resource, nth) => ({ resource, decision: answers[nth] as Decision }))
}

/** Returns the results of the statements of a strategy with very small scan limits. */
async function found(
  kind: ListedKind,
  statements: typeof LIST_BY_FOLDER,
  { key, client, organization }: World,
  userId: string,
  atLeast: AccessRole | null,
): Promise<string[]> {
  const [defaults] = [...keys].find(([, made]) => made === client) ?? []
  assert.ok(defaults)
  const examinedMax = statements === LIST_BY_SCAN ? 3 : 1_000
  const asked = {
    req: 0,
    organizationKey: key,
    userId,
    folderId: null,
    defaultAccessType: defaults.accessType,
    defaultAccessRole: defaults.accessRole,
    atLeast,
    decisions: 2,
    examinedMax,
  }
  const ids: string[] = []
  let after: string | null = FIRST_KEY
  while (after !== null) {
    const rows = await server.db.runSet(statements[kind], [{ ...asked, afterKey: after }])
    ids.push(...resourcesIn(rows, kind, organization.id).map(({ resource }) => resource.id))
    const { examinedTo } = outcomeOf(rows)
    assert.notEqual(examinedTo, after)
    after = examinedTo
  }
  return ids
}

async function assertResources(made: World, userId: string, atLeast: AccessRole | undefined): Promise<void> {
  const { client, organization, folders } = made
  const checked = await checkAll(made, userId, atLeast)
  const expected = (filter: (resource: Resource) => boolean) =>
    checked
      .filter(({ resource, decision }) => decision.allowed && filter(resource))
      .map(({ resource, decision }) => ({ ...nameOf(made, resource), ...decision }))
      .sort(byName)
  const list = async (pageSize: number, filters: object): Promise<ListedResource[]> => {
    const data = { organizationId: organization.id, userId, atLeast, pageSize, ...filters }
    const read = (pageToken?: string) => client.post(listPermittedResources.path, { ...data, pageToken })
    return (await pages<{ resources: ListedResource[] }>(read)).flatMap(({ resources }) => resources)
  }
  const whole = await list(1000, {})
  assert.deepEqual(
    whole.toSorted(byName),
    expected(() => true),
    `all of ${userId}`,
  )
  for (const pageSize of PAGE_SIZES) assert.deepEqual(await list(pageSize, {}), whole, `pages of ${pageSize}`)
  for (const kind of ['folder', 'document'] as const) {
    const listed = whole.flatMap(({ type, id }) => (type === kind ? [id] : []))
    for (const strategy of [LIST_BY_FOLDER, LIST_BY_SCAN])
      assert.deepEqual(
        await found(kind, strategy, made, userId, atLeast ?? null),
        listed,
        `each ${kind} by ${strategy[kind].name}`,
      )
  }
  for (const type of ['organization', 'folder', 'document'] as const) {
    const listed = await list(2, { types: [type] })
    assert.deepEqual(
      listed.toSorted(byName),
      expected((resource) => resource.type === type),
      `each ${type} of ${userId}`,
    )
  }
  for (const folder of folders.values()) {
    const listed = await list(2, { folderId: folder.id })
    assert.deepEqual(
      listed.toSorted(byName),
      expected((resource) => chainOf(resource).includes(folder)),
      `in ${folder.id}`,
    )
  }
}

async function assertUsers(made: World, atLeast: AccessRole | undefined): Promise<void> {
  const checked = new Map<string, Awaited<ReturnType<typeof checkAll>>>()
  for (const userId of USERS) checked.set(userId, await checkAll(made, userId, atLeast))
  const ofNobody = await checkAll(made, 'nobody', atLeast)
  for (const [nth, resource] of resourcesOf(made).entries()) {
    const name = nameOf(made, resource)
    const { allowed: everyone = false, accessRole: everyoneRole } = ofNobody[nth]?.decision ?? {}
    const isHeld = (userId: string) => chainOf(resource).some(({ grants }) => grants.get(userId)?.some(isLive))
    const expected = USERS.flatMap((userId) => {
      const decision = checked.get(userId)?.[nth]?.decision
      return decision?.allowed && (!everyone || isHeld(userId)) ? [{ userId, ...decision }] : []
    })
    for (const pageSize of [1, 2, 1000]) {
      const read = (pageToken?: string) =>
        made.client.post(listPermittedUsers.path, { resource: name, atLeast, pageSize, pageToken })
      const all = await pages<{ users: object[]; everyone: boolean; everyoneRole?: AccessRole }>(read)
      assert.deepEqual(
        all.flatMap(({ users }) => users),
        expected,
        `users of ${name.type} ${name.id}`,
      )
      for (const page of all) assert.deepEqual([page.everyone, page.everyoneRole], [everyone, everyoneRole])
    }
  }
}

async function assertInside(made: World, key: Key, atLeast: AccessRole | undefined): Promise<void> {
  const folders = [...made.folders.values()]
  const places = [made.organization, ...folders.slice(folders.length / 2, folders.length / 2 + 1)]
  for (const [nth, place] of places.entries()) {
    const filters = { atLeast, pageSize: nth % 2 === 0 ? 1 : 1_000 }
    await compareInside(made, place, { now: seconds, key, ...filters })
  }
}

let seconds: number = TIMES[0] ?? 0
const isLive = (grant: { expiresAt?: number } | undefined): boolean =>
  grant !== undefined && (grant.expiresAt ?? Number.POSITIVE_INFINITY) > seconds

let worldsMade = 0

describe('the lists of access', () => {
  it(`contain exactly what permissions.check allows, in ${WORLDS} random worlds`, async () => {
    const question = fc.record({
      userId: fc.constantFrom(...USERS, 'nobody'),
      time: fc.constantFrom(...TIMES),
      level: fc.constantFrom(undefined, ...ALL_ROLES),
    })
    const property = fc.asyncProperty(world, question, async ({ defaults, disabledUsers, organizations }, asked) => {
      const client = keys.get(defaults)
      assert.ok(client)
      const atLeast = asked.level === 'commenter' && !defaults.hasCommenter ? 'editor' : asked.level
      worldsMade++
      server.clock.set(null)
      for (const [nth, spec] of organizations.entries()) {
        const made = await buildWorld(client, `o${worldsMade}-${nth}`, spec)
        await setDisabled(client, disabledUsers, true)
        try {
          seconds = asked.time
          server.clock.set(new Date(seconds * 1000))
          await assertResources(made, asked.userId, atLeast)
          await assertUsers(made, atLeast)
          await assertInside(made, { ...defaults, disabledUsers }, atLeast)
        } finally {
          server.clock.set(null)
          await setDisabled(client, disabledUsers, false)
        }
      }
    })
    await fc.assert(property, { numRuns: WORLDS, ...SEED })
  })
})
