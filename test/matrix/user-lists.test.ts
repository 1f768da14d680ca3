/** Lists of users, compared with a naive model: random grants, groups, filters, page sizes and times. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { ACCESS_ROLES, type AccessRole, addPermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers, countUsers, getUsers } from '#contract/users/users.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'

const server = await startServer()
afterAll(() => server.clock.set(null))

const organizationId = 'acme'
const USERS = ['B', 'a', 'a%', 'ab', 'c', 'd', 'é', '😀']
const DOCUMENTS = ['d1', 'd2', 'd3']
const TARGETS = [
  { type: 'organization', id: organizationId },
  { type: 'folder', id: 'f', organizationId },
  ...DOCUMENTS.map((id) => ({ type: 'document' as const, id, organizationId })),
] as const

interface Grant {
  user: string
  target: number
  accessRole: AccessRole
  expiresAt: number | undefined
}
const grant: fc.Arbitrary<Grant> = fc.record({
  user: fc.constantFrom(...USERS),
  target: fc.nat({ max: TARGETS.length - 1 }),
  accessRole: fc.constantFrom(...ACCESS_ROLES),
  expiresAt: fc.option(fc.constantFrom(100, 200), { nil: undefined }),
})
/** Returns each filter only half of the time: a query with all filters would match no user. */
const half = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const some = (ids: readonly string[]) => half(fc.subarray([...ids], { minLength: 1 }))
const question = fc.record({
  target: half(fc.nat({ max: TARGETS.length - 1 })),
  grouped: fc.boolean(),
  userIds: some([...USERS, 'nobody']),
  organizationUserGroupIds: some(['g', 'h', 'none']),
  searchKey: half(fc.constantFrom('A', '%', 'é', 'name', 'x@', 'zz')),
  pageSize: fc.integer({ min: 1, max: 12 }),
  seconds: fc.constantFrom(99, 100, 200),
})
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never

const profileOf = (userId: string) =>
  USERS.indexOf(userId) % 2 === 0 ? { name: `Name of ${userId}`, email: `${userId}@x` } : {}

describe('users.get and users.count', () => {
  it('return the same as the model, with any page size', async () => {
    const world = fc.record({
      grants: fc.array(grant, { minLength: 10, maxLength: 60 }),
      groups: fc.record({ g: fc.subarray(USERS), h: fc.subarray(USERS) }),
      questions: fc.array(question, { minLength: 30, maxLength: 30 }),
    })
    await fc.assert(
      fc.asyncProperty(world, async ({ grants, groups, questions }) => {
        const key = await server.newKey()
        await key.call(updateKeyConfig, { accessRoles: [...ACCESS_ROLES] })
        await build(key, grants, groups)
        const last = new Map(grants.map((one) => [`${one.target} ${one.user} ${one.expiresAt === undefined}`, one]))
        for (const asked of questions) {
          server.clock.set(new Date(asked.seconds * 1000))
          const expected = model([...last.values()], groups, asked)
          assert.deepEqual(await ask(key, asked), expected, JSON.stringify({ asked, expected }))
        }
        server.clock.set(null)
      }),
      { numRuns: 15 },
    )
  })
})

/** Inserts the data as if long ago, when every grant was live, so that every user of a group was a member at that time. */
async function build(key: Client, grants: readonly Grant[], groups: Record<string, string[]>): Promise<void> {
  server.clock.set(new Date(0))
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  const known = USERS.filter((_, nth) => nth % 2 === 0)
  const users = known.map((userId) => ({ userId, ...profileOf(userId) }))
  await key.call(addUsers, { organizationId: 'elsewhere', users })
  for (const resource of TARGETS)
    await key.call(addPermissions, {
      user: { userId: 'gone' },
      permissions: { resources: [{ ...resource, expiresAt: 1 }] },
    })
  for (const { user, target, accessRole, expiresAt } of grants) {
    const resource = { ...(TARGETS[target] as (typeof TARGETS)[number]), accessRole, ...(expiresAt && { expiresAt }) }
    await key.call(addPermissions, { user: { userId: user }, permissions: { resources: [resource] } })
  }
  for (const [groupId, userIds] of Object.entries(groups)) {
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId }] })
    if (userIds.length > 0)
      await key.call(addUserGroupUsers, { organizationId, organizationUserGroupId: groupId, userIds })
  }
}

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Of two live grants of a user on a resource the stronger one applies; of equal ones the one without an end. */
function inForce(live: readonly Grant[]): Grant[] {
  const pairs = Map.groupBy(live, ({ target, user }) => `${target} ${user}`)
  const strength = ({ accessRole, expiresAt }: Grant) =>
    2 * ACCESS_ROLES.indexOf(accessRole) + (expiresAt === undefined ? 1 : 0)
  return [...pairs.values()].flatMap((both) => both.toSorted((a, b) => strength(b) - strength(a)).slice(0, 1))
}

function model(grants: readonly Grant[], groups: Record<string, string[]>, asked: Question) {
  const { target, userIds, organizationUserGroupIds, searchKey, seconds } = asked
  const live = inForce(grants.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > seconds))
  const members = new Set(live.flatMap((one) => (one.target === 0 ? [one.user] : [])))
  const isShown = (user: string): boolean => {
    const { name = '', email = '' } = profileOf(user)
    const texts = [user, name, email].map((text) => text.toLowerCase())
    const inGroups = organizationUserGroupIds?.some((id) => members.has(user) && groups[id]?.includes(user))
    return (
      (userIds === undefined || userIds.includes(user)) &&
      inGroups !== false &&
      (searchKey === undefined || texts.some((text) => text.includes(searchKey.toLowerCase())))
    )
  }
  const of = (wanted: number) =>
    live
      .filter((one) => one.target === wanted && isShown(one.user))
      .sort((one, other) => byBytes(one.user, other.user))
      .map(({ user, accessRole, expiresAt }) => `${user} ${accessRole} ${expiresAt ?? ''}`)
  const held = (wanted: number) => live.filter((one) => one.target === wanted).map(({ user }) => user)
  if (target !== undefined) return { users: of(target), count: held(target).length }
  const documents = DOCUMENTS.map((id, nth) => [id, nth + 2] as const)
  const count = new Set(documents.flatMap(([, wanted]) => held(wanted))).size
  if (asked.grouped)
    return {
      users: documents.flatMap(([id, wanted]) => of(wanted).map((one) => `${id} ${one}`)),
      count,
    }
  const all = documents.flatMap(([, wanted]) => held(wanted)).filter(isShown)
  return { users: [...new Set(all)].sort(byBytes).map((user) => `${user}  `), count }
}

interface Shown {
  userId: string
  accessRole?: string
  expiresAt?: number
}

const written = ({ userId, accessRole = '', expiresAt }: Shown) => `${userId} ${accessRole} ${expiresAt ?? ''}`

async function ask(key: Client, { target, grouped, seconds: _, ...filters }: Question) {
  const resource = target === undefined ? undefined : TARGETS[target]
  const where = {
    organizationId,
    ...(resource === undefined && { allDocuments: true }),
    ...(resource?.type === 'folder' && { folderId: resource.id }),
    ...(resource?.type === 'document' && { documentId: resource.id }),
  }
  const groupByDocumentId = target === undefined && grouped
  const users: string[] = []
  const byDocument = new Map<string, string[]>()
  for await (const { data } of pagesOf((pageToken) =>
    key.post(getUsers.path, { ...where, ...filters, groupByDocumentId, pageToken }),
  )) {
    if (groupByDocumentId)
      for (const [id, shown] of Object.entries<Shown[]>(data))
        byDocument.set(id, [...(byDocument.get(id) ?? []), ...shown.map((one) => `${id} ${written(one)}`)])
    else users.push(...data.map(written))
  }
  const { count } = await key.call(countUsers, where)
  return { users: groupByDocumentId ? DOCUMENTS.flatMap((id) => byDocument.get(id) ?? []) : users, count }
}
