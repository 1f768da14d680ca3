/**
 * Whatever one tenant calls, repeatedly and with many concurrent calls, another tenant's calls do not wait until these
 * are finished, and none is refused. `npm test` tries the most expensive calls that we could think of;
 * `npm run soak -- every-operation` adds the example of each operation, takes longer, and compares the slowest calls
 * with a tenth of a second of computing.
 */
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads, getThreads } from '#contract/comments/threads.ts'
import type { Operation } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addDocuments, countDocuments, getDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addFolders, updateFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, getUsers } from '#contract/users/users.ts'
import type { Answer, Client } from '#testing/client.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { fixedWorkMs } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'
import { comment, FOLLOW_THREADS } from '#testing/threads.ts'
import { apiKeyOf, newCallers } from '../conformance/support/callers.ts'
import { newExampleWorld } from '../conformance/support/example-world.ts'
import { type BusyReport, startBusyTenant } from './busy-tenant.ts'

const MS = Number(process.env.NEIGHBOUR_MS ?? 200)
const IS_SOAK = process.env.NEIGHBOUR_MS !== undefined
const CALLS_AT_ONCE = IS_SOAK ? 24 : 8
/** The bound on a call of the quiet tenant, as a multiple of a call of the busy tenant: it waits for only a few of them. */
const BUSY_MAX = 2
/** The bound on the slowest calls in a soak, as a multiple of a tenth of a second of computing or of the time on a quiet server. */
const P99_MAX = ENGINE === 'postgres' ? { computing: 2, quiet: 5 } : { computing: 8, quiet: 5 }

const FOLLOWERS = IS_SOAK ? 10_000 : 1_000

const { settings, open } = await createLastingStore()
const server = await startProcess(settings)
const organizationId = 'acme'
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`)

async function newTenant(): Promise<Client> {
  const { apiKey: key } = await newCallers(server.url)
  await key.call(addOrganizations, { organizations: [{ organizationId }] })
  return key
}

/** A tenant with thousands of rows to ask about. */
async function newLargeTenant(): Promise<Client> {
  const key = await newTenant()
  const filler = 'x'.repeat(4_000)
  await key.call(addFolders, {
    organizationId,
    folders: ids('f', 500).map((folderId, nth) => ({ folderId, ...(nth > 0 && { parentFolderId: `f${nth >> 3}` }) })),
  })
  for (const part of ids('part', IS_SOAK ? 3 : 1))
    await key.call(addDocuments, {
      organizationId,
      documents: ids(`${part}-`, 1_000).map((documentId) => ({ documentId, kind: documentId, filler })),
    })
  await key.call(addUsers, {
    organizationId,
    users: ids('u', 1_000).map((userId) => ({ userId, name: `User ${userId}` })),
  })
  return key
}

/** A thread of a public document that thousands follow, and on another document a page of threads with many comments. */
async function newBusyThreads(key: Client): Promise<void> {
  await key.call(updateNotificationConfig, { useNotificationService: true })
  const documents = [{ documentId: 'followed' }, { documentId: 'discussed' }]
  await key.call(addDocuments, { organizationId, documents })
  await key.call(setDocumentAccess, { organizationId, documentIds: ['followed'], accessType: 'public' })
  await key.call(addThreads, {
    ...{ organizationId, documentId: 'followed' },
    commentAnnotations: [{ annotationId: 'followed', commentData: [comment('ada')] }],
  })
  const db = await open()
  await db.query(FOLLOW_THREADS, [apiKeyOf(key), FOLLOWERS])
  await db.close()
  await key.call(addThreads, {
    ...{ organizationId, documentId: 'discussed' },
    commentAnnotations: ids('t', 50).map((annotationId) => ({
      annotationId,
      commentData: ids('comment ', 20).map((commentText) => comment('ada', { commentText })),
    })),
  })
}

const large = await newLargeTenant()
await newBusyThreads(large)
const quiet = await newTenant()

/** The call that the busy tenant repeats, with this data or with each of several in turn. */
type Repeated = [operation: Operation, data: object | object[]]

const moved = (to: string) => ids('f4', 50).map((folderId) => ({ folderId, parentFolderId: to }))

/** The most expensive permitted calls. */
const MOST_EXPENSIVE: Record<string, Repeated> = {
  'permissions.get of 10,000 cells': [
    getPermissions,
    {
      ...{ organizationId, userIds: ids('u', 10), documentIds: ids('d', 999) },
      skipResourceExistenceValidation: true,
    },
  ],
  'permissions.check of 1,000': [
    checkPermissions,
    {
      checks: ids('part0-', 1_000).map((id) => ({ userId: 'u1', resource: { type: 'document', id, organizationId } })),
    },
  ],
  'permissions.simulate of 5 open folders': [
    simulatePermissions,
    {
      organizationId,
      accessTypes: ids('f4', 5).map((id) => ({ resource: { type: 'folder', id }, accessType: 'public' })),
    },
  ],
  'permissions.simulate of 1,000 users': [
    simulatePermissions,
    {
      organizationId,
      add: ids('u', 1_000).map((userId, nth) => ({
        userId,
        resource: { type: 'document', id: `part0-${nth}`, organizationId },
      })),
    },
  ],
  'documents.count with 1,000 values': [
    countDocuments,
    {
      organizationId,
      filters: ids('k', 10).map((key) => ({
        key: key === 'k0' ? 'kind' : key,
        operator: 'in',
        value: ids('part', 100),
      })),
    },
  ],
  'documents.get of 1,000 large documents': [getDocuments, { organizationId, pageSize: 1_000 }],
  'documents.add of 1,000': [
    addDocuments,
    ids('more', 100).map((more) => ({
      organizationId,
      documents: ids(`${more}-`, 1_000).map((documentId) => ({ documentId })),
    })),
  ],
  'folders.update that moves 50': [updateFolders, ['f1', 'f2'].map((to) => ({ organizationId, folders: moved(to) }))],
  'profiles.set of 1,000': [
    setProfiles,
    ids('Name ', 100).map((name) => ({ users: ids('u', 1_000).map((userId) => ({ userId, name })) })),
  ],
  'comments.add that notifies thousands': [
    addComments,
    {
      ...{ organizationId, documentId: 'followed', annotationId: 'followed' },
      commentData: [comment('ada', { triggerNotification: true })],
    },
  ],
  'threads.get of a page of 1,000 comments': [getThreads, { organizationId, documentIds: ['discussed'], pageSize: 50 }],
  'users.get of a search without a match': [getUsers, { organizationId, searchKey: 'nobody at all' }],
  'events.list of 1,000': [listEvents, { pageSize: 1_000 }],
}

/** The calls of the quiet tenant: a check, a change, a sign-in, a page. */
const QUIET: ((nth: number) => Promise<Answer>)[] = [
  () =>
    quiet.post(checkPermissions.path, {
      checks: [{ userId: 'ada', resource: { type: 'organization', id: organizationId } }],
    }),
  (nth) =>
    quiet.post(addPermissions.path, {
      user: { userId: `user${nth % 50}` },
      permissions: { resources: [{ type: 'document', id: `d${nth % 50}`, organizationId, accessRole: 'viewer' }] },
    }),
  (nth) => quiet.post(generateToken.path, { userId: `user${nth % 50}`, userProperties: { name: `User ${nth}` } }),
  () => quiet.post(getDocuments.path, { organizationId, pageSize: 20 }),
]

/** Makes the quiet tenant's calls one after the other for a while, and returns how long each took. */
async function measureQuiet(ms: number): Promise<number[]> {
  const took: number[] = []
  for (const until = performance.now() + ms; performance.now() < until || took.length < QUIET.length; ) {
    const began = performance.now()
    const answer = await QUIET[took.length % QUIET.length]?.(took.length)
    took.push(performance.now() - began)
    assert.equal(answer?.http, 200, `a call of the quiet tenant: ${answer?.text.slice(0, 300)}`)
  }
  return took
}

const part = (took: readonly number[], of: number) => took.toSorted((a, b) => a - b)[Math.floor(took.length * of)] ?? 0
const p99 = (took: readonly number[]): number => part(took, 0.99)
const medianOf = (took: readonly number[]): number => part(took, 0.5)

interface Line {
  name: string
  calls: number
  statuses: string
  p50: number
  p99: number
}
const lines: Line[] = []
const silence = await measureQuiet(IS_SOAK ? 5_000 : 300)
const quietP99 = p99(silence)

async function assertNeighbourly(name: string, [{ path }, data]: Repeated, { headers }: Client): Promise<void> {
  const stop = await startBusyTenant({
    url: server.url + path,
    headers: { 'content-type': 'application/json', ...headers },
    bodies: [data].flat().map((one) => JSON.stringify({ data: one })),
    concurrency: CALLS_AT_ONCE,
  })
  let report: BusyReport | undefined
  const took = await measureQuiet(MS).finally(async () => {
    report = await stop()
  })
  const { calls = 0, statuses = {}, tookMs = [] } = report ?? {}
  const faults = Object.keys(statuses).filter((status) => Number(status) >= 500 && !['503', '504'].includes(status))
  assert.deepEqual(faults, [], `${name}: ${JSON.stringify(statuses)}`)
  const median = medianOf(took)
  lines.push({ name, calls, statuses: JSON.stringify(statuses), p50: median, p99: p99(took) })
  if (name in MOST_EXPENSIVE) {
    assert.ok(!('400' in statuses) && !('404' in statuses), `${name} is not lawful`)
    const busyMs = medianOf(tookMs)
    const both = `calls of the quiet tenant took ${median} ms, of the busy ${busyMs} ms`
    assert.ok(tookMs.length === 0 || median <= BUSY_MAX * busyMs, `${name}: ${both}`)
  }
  if (!IS_SOAK) return
  const most = Math.max(P99_MAX.computing * fixedWorkMs(), P99_MAX.quiet * quietP99)
  assert.ok(p99(took) <= most, `${name}: p99 ${p99(took)} ms, quiet ${quietP99} ms`)
}

describe('the calls of another tenant wait for few, while one tenant repeats', () => {
  for (const [name, repeated] of Object.entries(MOST_EXPENSIVE))
    it(name, () => assertNeighbourly(name, repeated, large))
  if (!IS_SOAK) return
  for (const operation of OPERATIONS)
    it(`the example of ${operation.name}`, async () => {
      const world = await newExampleWorld(server.client, operation)
      const repeated: Repeated = [operation, world.exampleOf(operation)]
      await assertNeighbourly(operation.name, repeated, world.callers[operation.credentials])
    })
})

afterAll(() => {
  if (!IS_SOAK) return
  const cells = ({ name, calls, statuses, p50, p99 }: Line) =>
    `| ${name} | ${calls} | ${statuses} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`
  process.stdout.write(
    [
      `quiet: p99 ${quietP99.toFixed(1)} ms of ${silence.length} calls`,
      '| the busy tenant repeats | calls | statuses | p50, ms | p99, ms |',
      '| --- | --- | --- | --- | --- |',
      ...lines.map(cells),
      '',
    ].join('\n'),
  )
})
