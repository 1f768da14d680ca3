/** Every call that decides what users may do in a world, compared with the reference interpreter. */
import assert from 'node:assert/strict'
import type { Decision } from '#contract/access/decisions.ts'
import type { AccessRole, ResourceName } from '#contract/access/permissions.ts'
import type { TestClock } from '#testing/server.ts'
import { everyName, find, type World } from './build.ts'
import { compareInside } from './compared-inside.ts'
import { check, evaluate, explain, get, oneByOne, type Question } from './deciding-calls.ts'
import { decide, type Key } from './interpreter.ts'
import { EXPIRIES, rolesOf, USERS } from './worlds.ts'

/** The times of the checks, in milliseconds: just before each expiry, exactly at it, and after the last. */
const TIMES = [...EXPIRIES.flatMap((expiry) => [expiry * 1000 - 1, expiry * 1000]), EXPIRIES[1] * 1000 + 5_000]

/** Calls that return one decision each are made for one in this many questions at each time. */
const SHARES = 24

/** The time at which further calls are made that reach other questions. */
const TIME_OF_REST = EXPIRIES[0] * 1000

/** The roles that questions require: any role, and each role of the key. */
const levelsOf = (key: Key): readonly (AccessRole | undefined)[] => [undefined, ...rolesOf(key)]

const at = <T>(list: readonly T[], nth: number): T => list[nth % list.length] as T

export interface Compared {
  world: World
  key: Key
}

/**
 * Makes all calls about everything that the worlds have, had or never had. Calls about one moment run concurrently, so
 * that worlds share statements. Returns the compared decisions.
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

async function compareAt(time: number, { world, key }: Compared): Promise<Decision[]> {
  const { client } = world
  const timeMs = at(TIMES, time)
  const resources = everyName(world)
  const { cells, questions } = everyQuestion(resources, time, key)
  const share = (way: number) => cells.filter((_, nth) => (nth + way) % SHARES === time)
  const singles = share(0).map((cell, nth) => ({ ...cell, atLeast: at(levelsOf(key), nth) }))
  const agree = agreementAt(time, world, key)
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
    calls.push(compareAllInside(world, key, timeMs / 1000))
  }
  await Promise.allSettled(calls)
  return (await Promise.all(calls)).flat()
}

/** Every user and resource, without and with a required role. */
function everyQuestion(resources: readonly ResourceName[], time: number, key: Key) {
  const levels = levelsOf(key)
  const cells = USERS.flatMap((userId) => resources.map((resource): Question => ({ userId, resource })))
  return { cells, questions: cells.map((cell, nth) => ({ ...cell, atLeast: at(levels, nth + time) })) }
}

/** Returns a function that compares the answers of a call. */
const agreementAt =
  (time: number, world: World, key: Key) =>
  async (way: string, asked: readonly Question[], answering: Promise<Decision[]>): Promise<Decision[]> => {
    const timeMs = at(TIMES, time)
    const answers = await answering
    const wanted = asked.map((question) => expected(world, question, timeMs / 1000, key))
    assert.deepEqual(named(asked, answers), named(asked, wanted), `${way} at ${timeMs} ms`)
    return wanted
  }

/**
 * Makes the fewest calls that show every decision, or who has access to something inside. Returns the worlds in which a
 * call differs from the interpreter, by their indexes in the list.
 */
export async function findDifferent(
  clock: TestClock,
  worlds: readonly Compared[],
  what: 'decisions' | 'inside',
): Promise<Map<number, assert.AssertionError>> {
  const different = new Map<number, assert.AssertionError>()
  const times = what === 'decisions' ? [...TIMES.keys()] : [TIMES.indexOf(TIME_OF_REST)]
  for (const time of times) {
    clock.set(new Date(at(TIMES, time)))
    const compared = await Promise.allSettled(worlds.map((each) => compareInShort(time, each, what)))
    for (const [nth, result] of compared.entries()) {
      if (result.status === 'fulfilled') continue
      if (!(result.reason instanceof assert.AssertionError)) throw result.reason
      different.set(nth, result.reason)
    }
  }
  return different
}

async function compareInShort(time: number, { world, key }: Compared, what: 'decisions' | 'inside') {
  if (what === 'inside') return compareAllInside(world, key, at(TIMES, time) / 1000)
  const resources = everyName(world)
  const { cells, questions } = everyQuestion(resources, time, key)
  const agree = agreementAt(time, world, key)
  await agree('permissions.get', cells, get(world, USERS, resources))
  return agree('permissions.check', questions, check(world.client, questions))
}

/** Compares who has access to something inside the organization and one folder. */
async function compareAllInside(world: World, key: Key, now: number): Promise<Decision[]> {
  const { organization, folders, documents } = world
  const seed = folders.size + documents.size
  const places = new Set([organization, at([organization, ...folders.values()], seed)])
  const filters = { now, key, pageSize: at([1, 1000], seed) }
  for (const [nth, place] of [...places].entries())
    await compareInside(world, place, { ...filters, atLeast: at(levelsOf(key), nth) })
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
