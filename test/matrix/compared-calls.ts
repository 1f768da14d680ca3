/** Every call that decides what users may do in a world, compared with the reference interpreter. */
import assert from 'node:assert/strict'
import { AUTHZEN_PATHS, type EvaluationAnswer } from '#contract/access/authzen.ts'
import {
  checkPermissions,
  type Decision,
  getPermissions,
  type PermissionEntry,
  type PermissionsByUser,
} from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import type { AccessRole, ResourceName } from '#contract/access/permissions.ts'
import type { Client } from '#testing/client.ts'
import type { TestClock } from '#testing/server.ts'
import { everyName, find, type World } from './build.ts'
import { compareInside } from './compared-inside.ts'
import { decide, type Key } from './interpreter.ts'
import { EXPIRIES, USERS, type UserId } from './worlds.ts'

/** The times of the checks, in milliseconds: just before each expiry, at it, and after the last. */
const TIMES = [...EXPIRIES.flatMap((expiry) => [expiry * 1000 - 1, expiry * 1000]), EXPIRIES[1] * 1000 + 5_000]

/** Calls that return one decision each are made for one in this many questions at each time. */
const SHARES = 24

/** The time at which further calls are made that reach other questions. */
const TIME_OF_REST = EXPIRIES[0] * 1000

const ROLES = [undefined, 'viewer', 'editor'] as const

const at = <T>(list: readonly T[], nth: number): T => list[nth % list.length] as T

interface Question {
  userId: UserId
  resource: ResourceName
  atLeast?: AccessRole | undefined
}

export interface Compared {
  world: World
  key: Key
  /** Also compare who has access to something inside, which takes longer than all other calls. */
  withInside: boolean
}

/**
 * Makes all calls about everything that the worlds have, had or never had; those of one moment at the same time, so that worlds share
 * statements. Returns the compared decisions.
 */
export async function compareDecisions(clock: TestClock, worlds: readonly Compared[]): Promise<Decision[]> {
  const decisions: Decision[] = []
  for (const time of TIMES.keys()) {
    clock.set(new Date(at(TIMES, time)))
    const compared = await Promise.allSettled(worlds.map((each) => compareAt(time, each)))
    for (const result of compared) {
      if (result.status === 'rejected') throw result.reason
      decisions.push(...result.value)
    }
  }
  return decisions
}

async function compareAt(time: number, { world, key, withInside }: Compared): Promise<Decision[]> {
  const { client } = world
  const timeMs = at(TIMES, time)
  const resources = everyName(world)
  const cells = USERS.flatMap((userId) => resources.map((resource): Question => ({ userId, resource })))
  const questions = cells.map((cell, nth) => ({ ...cell, atLeast: at(ROLES, nth + time) }))
  const share = (way: number) => cells.filter((_, nth) => (nth + way) % SHARES === time)
  const singles = share(0).map((cell, nth) => ({ ...cell, atLeast: at(ROLES, nth) }))
  const agree = async (way: string, asked: readonly Question[], answering: Promise<Decision[]>) => {
    const answers = await answering
    const wanted = asked.map((question) => expected(world, question, timeMs / 1000, key))
    assert.deepEqual(named(asked, answers), named(asked, wanted), `${way} at ${timeMs} ms`)
    return wanted
  }
  const getOne = ({ userId, resource }: Question) => get(world, [userId], [resource])
  const calls = [
    agree('permissions.get', cells, get(world, USERS, resources)),
    agree('permissions.check', questions, check(client, questions)),
    agree(
      'permissions.check of one',
      singles,
      oneByOne(singles, (question) => check(client, [question])),
    ),
    agree('permissions.get of one', share(1), oneByOne(share(1), getOne)),
    agree(
      'permissions.explain',
      share(2),
      oneByOne(share(2), (question) => explain(client, question)),
    ),
  ]
  if (timeMs === TIME_OF_REST) {
    const one = cells.slice(0, resources.length)
    calls.push(agree('permissions.get, refused', one, get(world, USERS.slice(0, 1), resources, false)))
    calls.push(agree('AuthZEN evaluations', questions, evaluate(client, questions)))
    if (withInside) calls.push(compareAllInside(world, key, timeMs / 1000))
  }
  await Promise.allSettled(calls)
  return (await Promise.all(calls)).flat()
}

/** Compares who has access to something inside the organization and one folder. */
async function compareAllInside(world: World, key: Key, now: number): Promise<Decision[]> {
  const { organization, folders, documents } = world
  const seed = folders.size + documents.size
  const places = new Set([organization, at([organization, ...folders.values()], seed)])
  const filters = { now, key, pageSize: at([1, 1000], seed) }
  for (const [nth, place] of [...places].entries())
    await compareInside(world, place, { ...filters, atLeast: at(ROLES, nth) })
  return []
}

function expected(world: World, { userId, resource, atLeast }: Question, now: number, key: Key): Decision {
  const there = find(world, resource)
  const decision = decide(there, userId, now, key, atLeast)
  const isOldId = there === undefined && resource.type === 'document'
  const migratedTo = isOldId ? world.left.get(resource.id)?.id : undefined
  return migratedTo === undefined ? decision : { ...decision, migratedTo }
}

const named = (asked: readonly Question[], answers: readonly Decision[]) => ({
  answers: answers.length,
  ...Object.fromEntries(
    asked.map(({ userId, resource, atLeast }, nth) => [
      `${userId} ${resource.type} ${resource.id} ${atLeast ?? ''}`,
      answers[nth],
    ]),
  ),
})

const oneByOne = async (questions: readonly Question[], ask: (question: Question) => Promise<Decision[]>) =>
  (await Promise.all(questions.map(ask))).flat()

const check = async (client: Client, checks: Question[]): Promise<Decision[]> =>
  (await client.call(checkPermissions, { checks })).checks

const explain = async (client: Client, { userId, resource }: Question): Promise<Decision[]> => [
  (await client.call(explainPermissions, { userId, resource })).decision,
]

const idsOf = (type: ResourceName['type'], resources: readonly ResourceName[]) =>
  resources.flatMap((resource) => (resource.type === type ? [resource.id] : []))

/** Asks user by user. Without skipResourceExistenceValidation the call is refused, with the same decisions. */
async function get(world: World, userIds: readonly UserId[], resources: ResourceName[], waive = true) {
  const { http, text, body } = await world.client.post(getPermissions.path, {
    organizationId: world.organization.id,
    userIds,
    folderIds: idsOf('folder', resources),
    documentIds: idsOf('document', resources),
    skipResourceExistenceValidation: waive,
  })
  assert.equal(http, waive ? 200 : 404, text)
  const answer: PermissionsByUser = waive ? body.result.data : body.error.details
  return userIds.flatMap((userId) =>
    resources.map(({ type, id }) => {
      const { organization = {}, folders = {}, documents = {} } = answer[userId] ?? {}
      const entry = { organization, folder: folders, document: documents }[type][id]
      return decisionOf(entry ?? assert.fail(`permissions.get says nothing of ${userId} and ${type} ${id}`))
    }),
  )
}

/** Returns the decision in a cell of `permissions.get`. */
export function decisionOf({ error, errorCode, ...entry }: PermissionEntry): Decision {
  const allowed = errorCode === undefined
  assert.equal(error === undefined, allowed)
  if (!allowed) assert.equal(errorCode === 'does_not_exist', entry.reason === 'does_not_exist')
  return { allowed, ...entry }
}

async function evaluate(client: Client, questions: readonly Question[]): Promise<Decision[]> {
  const evaluations = questions.map(({ userId, resource: { type, id, organizationId }, atLeast }) => ({
    subject: { type: 'user', id: userId },
    action: { name: atLeast === 'editor' ? 'edit' : 'view' },
    resource: { type, id, properties: { organizationId } },
  }))
  const { http, text, body } = await client.raw(AUTHZEN_PATHS.evaluations, JSON.stringify({ evaluations }))
  assert.equal(http, 200, text)
  return body.evaluations.map(({ decision, context }: EvaluationAnswer) => {
    assert.equal(decision, 'allowed' in context && context.allowed, text)
    return context as Decision
  })
}
