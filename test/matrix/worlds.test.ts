/**
 * Random worlds in the real engine, asked about everything, against the reference interpreter. `WORLDS` says how many,
 * `SEED` repeats a run: a failure prints its seed and the smallest world that shows it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { getPermissions, type PermissionEntry, REASONS } from '#contract/decisions.ts'
import type { AccessType } from '#contract/permissions.ts'
import type { Client } from '../support/client.ts'
import { startServer } from '../support/server.ts'
import { buildWorld, DECLARED_DOCUMENT, DECLARED_FOLDER, type World } from './build.ts'
import { type Decision, decide } from './interpreter.ts'
import { assertStructure } from './structure.ts'
import { ACCESS_TYPES, EXPIRIES, USERS, world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 300)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

/** In milliseconds: just before each expiry, at it, and after the last. */
const TIMES = [...EXPIRIES.flatMap((expiry) => [expiry * 1000 - 1, expiry * 1000]), EXPIRIES[1] * 1000 + 5_000]
const TIME_OF_SINGLES = EXPIRIES[0] * 1000

/** `user kind id` → what is said about it, without the words for people. */
type Cells = Record<string, Omit<PermissionEntry, 'error'>>

const server = await startServer()
const keys = new Map<AccessType, Client>()
for (const accessType of ACCESS_TYPES) {
  const key = await server.newKey()
  await server.db.query('update api_keys set default_access_type = $1 where api_key_id = $2', [
    accessType,
    key.headers['x-service-api-key'],
  ])
  keys.set(accessType, key)
}

const seen = new Map<Decision['reason'], number>()
let worldsMade = 0

/** Everything that the world has, had or never had. */
const namesOf = ({ folders, documents, left }: World) => ({
  folderIds: [...new Set([...folders.keys(), DECLARED_FOLDER, 'unknown'])],
  documentIds: [...new Set([...documents.keys(), ...left.keys(), DECLARED_DOCUMENT, 'unknown'])],
})

function expected(
  { organization, folders, documents, left }: World,
  { folderIds, documentIds }: ReturnType<typeof namesOf>,
  timeMs: number,
  defaultAccessType: AccessType,
): Cells {
  const cells: Cells = {}
  for (const user of USERS) {
    const note = (name: string, decision: Decision & { migratedTo?: string }) => {
      cells[`${user} ${name}`] = decision
      seen.set(decision.reason, (seen.get(decision.reason) ?? 0) + 1)
    }
    const now = timeMs / 1000
    note(`organization ${organization.id}`, decide(organization, user, now, defaultAccessType))
    for (const id of folderIds) note(`folder ${id}`, decide(folders.get(id), user, now, defaultAccessType))
    for (const id of documentIds) {
      const migratedTo = documents.has(id) ? undefined : left.get(id)?.id
      const decision = decide(documents.get(id), user, now, defaultAccessType)
      note(`document ${id}`, migratedTo === undefined ? decision : { ...decision, migratedTo })
    }
  }
  return cells
}

function cellsOf(answer: object): Cells {
  const cells: Cells = {}
  for (const [user, things] of Object.entries(answer))
    for (const [kind, entries] of Object.entries(things as Record<string, Record<string, PermissionEntry>>))
      for (const [id, { error, ...entry }] of Object.entries(entries)) {
        assert.equal(error === undefined, entry.accessRole !== undefined)
        cells[`${user} ${kind.replace(/s$/, '')} ${id}`] = entry
      }
  return cells
}

async function askOneByOne(client: Client, organizationId: string, names: ReturnType<typeof namesOf>): Promise<Cells> {
  const questions = [
    ...names.folderIds.map((id) => ({ folderIds: [id] })),
    ...names.documentIds.map((id) => ({ documentIds: [id] })),
  ]
  const answers = await Promise.all(
    USERS.flatMap((user) =>
      questions.map((question) =>
        client.call(getPermissions, {
          organizationId,
          userIds: [user],
          ...question,
          skipResourceExistenceValidation: true,
        }),
      ),
    ),
  )
  return Object.assign({}, ...answers.map(cellsOf))
}

async function compare(made: World, defaultAccessType: AccessType): Promise<void> {
  const { client, organization } = made
  const names = namesOf(made)
  const question = { organizationId: organization.id, userIds: [...USERS], ...names }
  for (const timeMs of TIMES) {
    server.clock.set(new Date(timeMs))
    const answer = await client.call(getPermissions, { ...question, skipResourceExistenceValidation: true })
    const wanted = expected(made, names, timeMs, defaultAccessType)
    assert.deepEqual(cellsOf(answer), wanted, `in one call at ${timeMs} ms`)
    if (timeMs !== TIME_OF_SINGLES) continue
    assert.deepEqual(await askOneByOne(client, organization.id, names), wanted, `one at a time at ${timeMs} ms`)
    const { http, body } = await client.post(getPermissions.path, question)
    assert.equal(http, 404, 'a call that names something unknown is NOT_FOUND')
    assert.deepEqual(body.error.details, answer, 'its details are the whole answer')
  }
}

describe('permissions.get', () => {
  it(`agrees with the access model in ${WORLDS} random worlds`, async (t) => {
    const property = fc.asyncProperty(world, async ({ defaultAccessType, organizations }) => {
      const client = keys.get(defaultAccessType)
      assert.ok(client)
      worldsMade++
      server.clock.set(null)
      const made = await Promise.all(
        organizations.map((spec, index) => buildWorld(client, `o${worldsMade}-${index}`, spec)),
      )
      for (const organization of made) await compare(organization, defaultAccessType)
      await assertStructure(
        server.db,
        made.map(({ key }) => key),
      )
    })
    await fc.assert(property, { numRuns: WORLDS, ...SEED })
    const counts = REASONS.map((reason) => `${reason} ${seen.get(reason) ?? 0}`)
    t.diagnostic(`decisions compared: ${counts.join(', ')}`)
    if (WORLDS >= 100)
      for (const reason of REASONS) assert.ok(seen.has(reason), `no world came to the answer ${reason}`)
  })
})
