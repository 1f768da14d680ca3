/** Tests the pairs of worlds: they must catch each of these mutants, which reveal hidden threads to a user, and accept the original. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { beforeAll, describe, it } from 'vitest'
import { LIST_THREADS_OF_DOCUMENTS } from '#features/comments/threads/read-statements.ts'
import { isMember } from '#tenancy/grants.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { createMutating, type Mutant } from '../matrix/mutated.ts'
import { saidByPrograms } from './programs.ts'
import { readWorldPair } from './readings.ts'
import { READ_AT, world } from './worlds.ts'
import { createWorldPairs, type WorldPair } from './worlds-without-secrets.ts'

/** Makes private threads visible to the reader of a statement. */
const toEverybody = (reader: string): Mutant => ({
  right: `(t.visibility = 'public' or t.author_id = ${reader}`,
  wrong: `(true or t.author_id = ${reader}`,
})
const [, READER_OF_LIST = ''] =
  /\(t\.visibility = 'public' or t\.author_id = (\$\d+::text)/.exec(LIST_THREADS_OF_DOCUMENTS.desc.text) ?? []

/** The condition that the reader of a list is a member of an organization, without the one that the grant is live. */
const MEMBER = isMember('o.key', READER_OF_LIST).split('g.standing_role is not null', 1).join()

const MUTANTS: Record<string, Mutant> = {
  'private threads are listed': toEverybody(READER_OF_LIST),
  'private threads are counted': toEverybody('$3::text'),
  'notifications of private threads are listed': toEverybody('$9::text'),
  'activities about private threads are listed': toEverybody('$12::text'),
  'private threads are found by words': toEverybody('d.user_id'),
  'activities about private threads are listed after their deletion': {
    right: 'p.annotation_id = a.target_entity_id\n              and (t.annotation_id is null',
    wrong: 'false\n              and (t.annotation_id is null',
  },
  'an access context is ignored': { right: "(t.access_context is null or t.access_context = '{}')", wrong: 'true' },
  'guests see what is private to members': {
    right: MEMBER,
    wrong: MEMBER.replace('g.resource_key = o.key and', '').replace("and g.kind = 'organization'", ''),
  },
  'an expired grant opens the document': {
    right: 'expires_at > (select now from clock)',
    wrong: 'expires_at >= (select now from clock)',
  },
}

/** The mutants, by the beginning of a program's output. */
const IN_PROGRAMS: Record<string, Mutant> = {
  explain: toEverybody('$4::text'),
  inbox: toEverybody('$9::text'),
  search: toEverybody('d.user_id'),
  read_operation: toEverybody('$9::text'),
}

const WORLDS = 80
const SEED = 1

describe('the pairs of worlds catch a mutant', { skip: ENGINE === 'embedded' }, async () => {
  const mutating = createMutating()
  const server = await startServer({}, mutating.through)
  let pairs: WorldPair[] = []

  beforeAll(async () => {
    const build = createWorldPairs(() => server.newKey())
    pairs = await build(fc.sample(world, { seed: SEED, numRuns: WORLDS }))
    server.clock.set(new Date(READ_AT * 1000))
  })

  /** Returns the first answer that reveals something. */
  async function firstTelling(): Promise<string | undefined> {
    for (const pair of pairs) {
      const [whole, without] = await readWorldPair(pair, { alsoWrites: false })
      const telling = whole.find((answer, nth) => answer !== without[nth])
      if (telling !== undefined) return telling
    }
    return undefined
  }

  for (const [program, mutant] of Object.entries(IN_PROGRAMS))
    it(`in the output of ${program}`, async () => {
      const isTold = async ({ whole, without, reader: userId }: WorldPair) => {
        const threadIds = Array.from({ length: whole.threadsMade }, (_, number) => `t${number}`)
        const known = { organizationId: whole.organization.id, userId, threadIds, notificationIds: [] }
        const [said, other] = await Promise.all(
          [whole, without].map(({ client }) => saidByPrograms(server.url, client, known)),
        )
        return said?.some((line, nth) => line.startsWith(program) && line !== other?.[nth]) === true
      }
      const firstTold = async () => {
        for (const pair of pairs) if (await isTold(pair)) return true
        return false
      }
      assert.ok(await mutating.during(mutant, firstTold), `not caught in ${WORLDS} worlds`)
    })

  it('and accept the original', async () => assert.equal(await firstTelling(), undefined))

  for (const [name, mutant] of Object.entries(MUTANTS))
    it(name, async (t) => {
      const telling = await mutating.during(mutant, firstTelling)
      assert.ok(telling, `not caught in ${WORLDS} worlds`)
      t.annotate(telling.slice(0, telling.indexOf(' →')))
    })
})
