/**
 * Shared statements: their results and the stored state are those of some serial order of the requests
 * (rules/data.md#shared-statements).
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { ACCESS_ROLES, type GrantedResource } from '#contract/access/permissions.ts'
import {
  ADD_GRANTS,
  ADD_PERMISSIONS,
  GRANT_AT_SIGN_IN,
  type SignInGrantRow,
} from '#features/permissions/grants/add-statements.ts'
import { grantAtSignIn } from '#features/permissions/grants/for-users.ts'
import { createPermissions } from '#features/permissions/grants/operations.ts'
import { createDocuments } from '#features/resources/documents/operations.ts'
import type { NewDocumentOutcome, NewDocumentRow } from '#features/resources/documents/statements.ts'
import type { Db } from '#platform/db/db.ts'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import { StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { writeUnderLock } from '#tenancy/writes/organization.ts'
import { createStore, MASTER_KEY } from '#testing/server.ts'
import { assertStructure } from '../matrix/structure.ts'
import { applyDocuments, applyGrants, applyRemovals, type ModelEvent, type State } from './serial-model.ts'
import {
  createCaller,
  DOCUMENTS,
  EXPIRY,
  FOLDERS,
  makeStart,
  type Start,
  start,
  stateOf,
  USERS,
} from './serial-world.ts'

const RUNS = Math.ceil(Number(process.env.WORLDS ?? 150) / 5)
const PARAMETERS = { numRuns: RUNS, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) }
const NOW = 2_000_000_050
const EXPIRIES = [EXPIRY, NOW + 50]
const ORGANIZATIONS = [0, 1] as const

const { db, remove: removeStore } = await createStore({ now: () => new Date(NOW * 1000) })
afterAll(async () => {
  await db.close()
  await removeStore()
})
const owner = await createCaller(db)

let transactions = 0
/** The same database, which counts the transactions of the requests. */
const counted: Db = {
  engine: db.engine,
  connections: db.connections,
  pool: db.pool,
  writesRefused: undefined,
  primary: undefined,
  observe: () => {},
  run: (...args) => db.run(...args),
  runSet: (...args) => db.runSet(...args),
  query: (...args) => db.query(...args),
  ambient: undefined,
  ambientTransaction: (...args) => db.ambientTransaction(...args),
  afterCommit: (effect) => effect(),
  script: (text) => db.script(text),
  close: () => db.close(),
  transaction(work, options) {
    transactions++
    return db.transaction(work, options)
  },
  runInSuccession(first, second, options) {
    transactions++
    return db.runInSuccession(first, second, options)
  },
}

type Starts = readonly [Start, Start]
const starts = fc.tuple(start, start)

const target = fc.oneof(
  fc.record({ type: fc.constant('organization' as const), id: fc.constant('') }),
  fc.record({ type: fc.constant('folder' as const), id: fc.constantFrom(...FOLDERS) }),
  fc.record({ type: fc.constant('document' as const), id: fc.constantFrom(...DOCUMENTS) }),
)
const grantItem = fc.record({
  organization: fc.constantFrom(...ORGANIZATIONS),
  target,
  role: fc.constantFrom(...ACCESS_ROLES),
  expiresAt: fc.option(fc.constantFrom(...EXPIRIES)),
  replaceExisting: fc.constantFrom(false, false, true),
})
type GrantItem = typeof grantItem extends fc.Arbitrary<infer Item> ? Item : never

let worlds = 0

/** Creates the start, runs `work`, and compares the stored state with the model. */
async function compareStates(
  specs: Starts,
  order: 'one statement' | 'one by one',
  work: (organizations: readonly string[], model: State) => Promise<void>,
): Promise<void> {
  const organizations = ORGANIZATIONS.map((index) => `o${worlds}-${index}`)
  worlds++
  for (const [index, spec] of specs.entries()) await makeStart(db, owner, organizations[index] ?? '', spec)
  const model = await stateOf(db, owner, organizations)
  const before = new Map([...model.events].map(([organization, events]) => [organization, events.length]))
  await work(organizations, model)
  const state = await stateOf(db, owner, organizations)
  assert.deepEqual({ ...state, events: null }, { ...model, events: null })
  for (const organization of organizations) {
    const since = (from: State) => (from.events.get(organization) ?? []).slice(before.get(organization) ?? 0)
    const inOrder = order === 'one statement' ? madeFirst : (events: ModelEvent[]) => events
    assert.deepEqual(inOrder(since(state)), inOrder(since(model)), `events of ${organization}`)
    const ranks = since(state).map(rank)
    if (order === 'one statement') assert.deepEqual(ranks, ranks.toSorted(), 'what is used is made before it')
  }
  await assertStructure(
    db,
    organizations.map((id) => organizationKey(owner, id)),
  )
}

/**
 * A shared statement first creates the resources that its requests declare, in no particular order: organizations, then
 * folders and documents.
 */
function rank({ type, after }: ModelEvent): number {
  if (type === 'organization.added') return 0
  return type === 'folder.added' || JSON.stringify(after) === '{}' ? 1 : 2
}

const madeFirst = (events: ModelEvent[]): ModelEvent[] => {
  const name = (event: ModelEvent) => (rank(event) === 1 ? `${event.kind} ${event.id}` : '')
  return events.toSorted((a, b) => rank(a) - rank(b) || name(a).localeCompare(name(b)))
}

const callerOf = (index: number, requireKnownResources = false): Caller => ({
  ...owner,
  requireKnownResources,
  actor: { token: `request ${index}`, address: '127.0.0.1' },
})

function grantRow(
  caller: Caller,
  organizations: readonly string[],
  userId: string,
  { organization, target: { type, id }, role, expiresAt, replaceExisting: replaces }: GrantItem,
): SignInGrantRow {
  const organizationId = organizations[organization] ?? ''
  return {
    organizationKey: organizationKey(caller, organizationId),
    apiKeyId: caller.apiKeyId,
    organizationId,
    createOrganization: !caller.requireKnownResources,
    kind: type,
    resourceId: type === 'organization' ? organizationId : id,
    principal: userId,
    actor: caller.actor,
    standingRole: expiresAt === null ? role : null,
    temporaryRole: expiresAt === null ? null : role,
    expiresAt: expiresAt === null ? null : new Date(expiresAt * 1000),
    replaces,
    expiringSoonSeconds: 0,
    keep: false,
    knownOnly: caller.requireKnownResources,
    createResource: false,
  }
}

/** Joins the rows for one user and resource into one, at the position of the first, with the result of writing them in their order. */
function folded(rows: SignInGrantRow[]): SignInGrantRow[] {
  const byName = new Map<string, SignInGrantRow>()
  for (const row of rows) {
    const name = `${row.organizationId} ${row.kind} ${row.resourceId} ${row.principal}`
    const earlier = byName.get(name)
    const both =
      row.expiresAt === null
        ? { ...earlier, standingRole: row.standingRole }
        : { ...earlier, temporaryRole: row.temporaryRole, expiresAt: row.expiresAt }
    byName.set(name, row.replaces || earlier === undefined ? row : { ...row, replaces: earlier.replaces, ...both })
  }
  return [...byName.values()]
}

/** Applies requests in the serial order that a shared statement promises: in order of arrival, without those that are refused. */
const serialOrder = <T>(requests: readonly T[], isRefused: (request: T) => boolean): T[] => [
  ...requests.filter(isRefused),
  ...requests.filter((request) => !isRefused(request)),
]

describe('permissions.add', () => {
  const request = fc.record({
    user: fc.constantFrom(...USERS),
    known: fc.constantFrom(false, false, true),
    items: fc.array(grantItem, { minLength: 1, maxLength: 4 }),
  })

  it('in one statement for many calls, returns and stores the same as sequential calls', async () => {
    const property = fc.asyncProperty(starts, fc.array(request, { minLength: 1, maxLength: 8 }), (specs, requests) =>
      compareStates(specs, 'one statement', async (organizations, model) => {
        const { add } = createPermissions(counted)
        transactions = 0
        const calls = requests.map(({ user, known, items }, index) => {
          const caller = callerOf(index, known)
          const rows = items.map((item) => grantRow(caller, organizations, user, item))
          const resources = items.map(({ role, expiresAt, replaceExisting }, nth): GrantedResource => {
            const { kind: type, resourceId: id = '', organizationId = '' } = rows[nth] ?? assert.fail()
            const expiry = expiresAt === null ? {} : { expiresAt }
            return { type, id, organizationId, accessRole: role, ...expiry, replaceExisting }
          })
          const answer = add(caller, { user: { userId: user }, permissions: { resources } })
          return { rows: folded(rows), answer }
        })
        const answered = await Promise.all(
          calls.map(async ({ rows, answer }) => ({ rows, refusals: await refusalsOf(answer) })),
        )
        assert.equal(transactions, 1, 'the calls were one statement')
        for (const { rows, refusals } of serialOrder(answered, (call) => call.refusals.length > 0)) {
          const wanted = applyGrants(model, rows, NOW).filter(({ outcome }) => outcome !== 'ok')
          assert.deepEqual(refusals, wanted)
        }
      }),
    )
    await fc.assert(property, PARAMETERS)
  })

  it.each([ADD_PERMISSIONS, GRANT_AT_SIGN_IN])(
    'applies the rows of $name as if sequentially, also several rows of one request, user and resource',
    async (statement) => {
      const requests = fc.array(fc.record({ request, creates: fc.boolean() }), { minLength: 1, maxLength: 6 })
      const property = fc.asyncProperty(starts, requests, (specs, list) =>
        compareStates(specs, 'one statement', async (organizations, model) => {
          const calls = list.map(({ request: { user, known, items }, creates }, req) => {
            const caller = callerOf(req, known)
            const createResource = statement === GRANT_AT_SIGN_IN && creates && !known
            return items.map((item) => ({ req, ...grantRow(caller, organizations, user, item), createResource }))
          })
          const outcomes = await writeUnderLock(db, statement, calls.flat())
          const answered = calls.map((rows, req) => ({
            rows,
            outcomes: outcomes
              .filter((outcome) => outcome.req === req)
              .map(({ outcome, migratedTo }) => ({ outcome, migratedTo })),
          }))
          const isRefused = (call: (typeof answered)[number]) => call.outcomes.some(({ outcome }) => outcome !== 'ok')
          for (const call of serialOrder(answered, isRefused))
            assert.deepEqual(call.outcomes, applyGrants(model, call.rows, NOW))
        }),
      )
      await fc.assert(property, PARAMETERS)
    },
  )
})

describe('grants.add', () => {
  const call = fc.record({
    known: fc.constantFrom(false, false, true),
    items: fc.array(fc.record({ user: fc.constantFrom(...USERS), item: grantItem }), { minLength: 1, maxLength: 8 }),
  })

  it('writes the grants of many users, or refuses them all, like sequential calls of permissions.add', async () => {
    const property = fc.asyncProperty(starts, fc.array(call, { minLength: 1, maxLength: 4 }), (specs, calls) =>
      compareStates(specs, 'one by one', async (organizations, model) => {
        for (const [index, { known, items }] of calls.entries()) {
          const caller = callerOf(index, known)
          const rows = folded(items.map(({ user, item }) => grantRow(caller, organizations, user, item)))
          const answers = await writeUnderLock(
            db,
            ADD_GRANTS,
            rows.map((row) => ({ ...row, req: 0 })),
          )
          const refused = answers.filter(({ outcome }) => outcome !== 'ok')
          const expected = applyGrants(model, rows, NOW)
          assert.deepEqual(
            refused.map(({ ord, outcome, migratedTo }) => ({ ord, outcome, migratedTo })),
            expected.flatMap((row, at) => (row.outcome === 'ok' ? [] : [{ ord: at + 1, ...row }])),
          )
        }
      }),
    )
    await fc.assert(property, PARAMETERS)
  })
})

describe('permissions.remove', () => {
  const request = fc.record({
    user: fc.constantFrom(...USERS),
    items: fc.array(grantItem, { minLength: 1, maxLength: 4 }),
    temporaryOnly: fc.boolean(),
  })

  it('removes a grant once, with the actor of the first call in the statement', async () => {
    const granted = fc.array(request, { minLength: 1, maxLength: 4 })
    const removed = fc.array(request, { minLength: 1, maxLength: 8 })
    const property = fc.asyncProperty(starts, granted, removed, (specs, grants, removals) =>
      compareStates(specs, 'one statement', async (organizations, model) => {
        const { remove } = createPermissions(counted)
        const rowsOf = (caller: Caller, { user, items }: { user: string; items: GrantItem[] }) =>
          folded(items.map((item) => grantRow(caller, organizations, user, item)))
        for (const [index, call] of grants.entries()) {
          const rows = rowsOf(callerOf(index), call).map((row) => ({ req: 0, ...row }))
          const outcomes = await writeUnderLock(db, ADD_PERMISSIONS, rows)
          assert.deepEqual(
            outcomes.map(({ outcome, migratedTo }) => ({ outcome, migratedTo })),
            applyGrants(model, rows, NOW),
          )
        }
        transactions = 0
        const answers = removals.map((call, index) => {
          const caller = callerOf(100 + index)
          const { temporaryOnly } = call
          const rows = rowsOf(caller, call).map((row) => ({ ...row, temporaryOnly }))
          applyRemovals(model, rows, NOW)
          const resources = rows.map(({ kind: type, resourceId: id, organizationId }) => {
            return { type, id, organizationId, temporaryOnly }
          })
          return remove(caller, { userId: call.user, permissions: { resources } })
        })
        await Promise.all(answers)
        assert.equal(transactions, 1, 'the calls were one statement')
      }),
    )
    await fc.assert(property, PARAMETERS)
  })
})

describe('grants at sign-in', () => {
  it('keep roles as in the model, in sequential calls', async () => {
    const call = fc.record({
      user: fc.constantFrom(...USERS),
      known: fc.boolean(),
      item: grantItem,
      saysRole: fc.boolean(),
      createOrganization: fc.boolean(),
      createResource: fc.boolean(),
    })
    const property = fc.asyncProperty(starts, fc.array(call, { minLength: 1, maxLength: 6 }), (specs, calls) =>
      compareStates(specs, 'one by one', async (organizations, model) => {
        for (const [index, { user, known, item, saysRole, createOrganization, createResource }] of calls.entries()) {
          const caller = callerOf(index, known)
          const row = grantRow(caller, organizations, user, item)
          const { kind, resourceId: id, organizationId } = row
          const mayCreate = kind === 'organization' ? createOrganization : createResource
          const grant = {
            userId: user,
            resource: { type: kind, id, organizationId },
            accessRole: saysRole ? item.role : undefined,
            expiresAt: item.expiresAt ?? undefined,
            replaceExisting: item.replaceExisting,
            createOrganization,
            createResource: createResource && kind !== 'organization',
            field: 'resource',
          }
          const answer = db.transaction((session) => grantAtSignIn(session, caller, [grant]))
          const wanted = applyGrants(
            model,
            [
              {
                ...row,
                standingRole: item.expiresAt === null ? (grant.accessRole ?? 'editor') : null,
                temporaryRole: item.expiresAt === null ? null : (grant.accessRole ?? 'editor'),
                keep: grant.accessRole === undefined,
                createOrganization: createOrganization || !known,
                knownOnly: known && !mayCreate,
                createResource: grant.createResource,
              },
            ],
            NOW,
          )
          assert.deepEqual(
            await refusalsOf(answer),
            wanted.filter(({ outcome }) => outcome !== 'ok'),
          )
        }
      }),
    )
    await fc.assert(property, PARAMETERS)
  })
})

describe('documents.add', () => {
  const request = fc.record({
    organization: fc.constantFrom(...ORGANIZATIONS),
    createOrganization: fc.boolean(),
    folderId: fc.option(fc.constantFrom(...FOLDERS), { nil: null, freq: 2 }),
    createFolder: fc.boolean(),
    documents: fc.array(
      fc.record({
        documentId: fc.constantFrom(...DOCUMENTS),
        accessType: fc.option(fc.constantFrom('public' as const, 'restricted' as const), { nil: null }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })

  it('in one statement for many calls, returns and stores the same as sequential calls', async () => {
    const property = fc.asyncProperty(starts, fc.array(request, { minLength: 1, maxLength: 8 }), (specs, requests) =>
      compareStates(specs, 'one statement', async (organizations, model) => {
        const { add } = createDocuments({ db: counted, pageTokens: createPageTokens(MASTER_KEY) })
        transactions = 0
        const calls = requests.map(({ organization, folderId, documents, ...flags }, index) => {
          const caller = callerOf(index)
          const organizationId = organizations[organization] ?? ''
          const byId = new Map(documents.map((document) => [document.documentId, document]))
          const rows = [...byId.values()].map(
            ({ documentId, accessType }): NewDocumentRow => ({
              organizationKey: organizationKey(caller, organizationId),
              apiKeyId: caller.apiKeyId,
              organizationId,
              documentId,
              name: `of request ${index}`,
              metadata: {},
              accessType,
              disabled: false,
              folderId,
              isLocked: true,
              actor: caller.actor,
              ...flags,
            }),
          )
          const answer = add(caller, {
            organizationId,
            ...flags,
            ...(folderId === null ? {} : { folderId }),
            documents: documents.map(({ documentId, accessType }) => ({
              documentId,
              documentName: `of request ${index}`,
              ...(accessType === null ? {} : { accessType }),
            })),
          })
          return { rows, answer }
        })
        const answered = await Promise.all(
          calls.map(async ({ rows, answer }) => ({ rows, outcomes: await documentOutcomes(rows, answer) })),
        )
        assert.equal(transactions, 1, 'the calls were one statement')
        const isRefused = ({ outcomes }: (typeof answered)[number]) =>
          outcomes.some((outcome) => outcome.endsWith('does_not_exist'))
        for (const { rows, outcomes } of serialOrder(answered, isRefused))
          assert.deepEqual(outcomes, applyDocuments(model, rows))
      }),
    )
    await fc.assert(property, PARAMETERS)
  })
})

/** Returns why each row of a call was refused; empty when it was not. */
async function refusalsOf(answer: Promise<unknown>): Promise<{ outcome: string; migratedTo: string | null }[]> {
  try {
    await answer
    return []
  } catch (error) {
    if (!(error instanceof StatusError) || !Array.isArray(error.details)) throw error
    return error.details.map(({ reason, migratedTo = null }) => ({ outcome: reason, migratedTo }))
  }
}

async function documentOutcomes(
  rows: NewDocumentRow[],
  answer: Promise<{ data?: Record<string, { success: boolean; code?: string }> }>,
): Promise<NewDocumentOutcome['outcome'][]> {
  try {
    const { data: results = {} } = await answer
    return rows.map(({ documentId }) => (results[documentId]?.success ? 'ok' : 'already_exists'))
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return rows.map(() => error.reason as NewDocumentOutcome['outcome'])
  }
}
