/**
 * Tests the random worlds: the comparison with the reference interpreter must catch each of these mutants of the
 * decision and of a list, and accept the original. Each mutant changes one place of the SQL text, like a typical mistake.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { beforeAll, describe, it } from 'vitest'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { DECIDE } from '#features/permissions/decision/statement.ts'
import { INSIDE_CANDIDATES } from '#features/permissions/lists/inside/statements.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { buildWorld, setDisabled } from './build.ts'
import { type Compared, findDifferent } from './compared-calls.ts'
import { createMutating, type Mutant } from './mutated.ts'
import { keyOf, settingsOf, world } from './worlds.ts'

const MUTANTS: Record<string, Mutant> = {
  'grants above the boundary count': {
    right: ") >> 39 >= target.boundary_at then 'grant'\n",
    wrong: ") is not null then 'grant'\n",
  },
  'a grant is live at the second in which it expires': {
    right: 'expires_at > (select now from clock)',
    wrong: 'expires_at >= (select now from clock)',
  },
  'an expired grant gives its role': { right: 'case live_rank >> 37 & 3', wrong: 'case any_rank >> 37 & 3' },
  'whoever has no grant is an editor': {
    right: 'else default_access_role end as nearest_role',
    wrong: "else 'editor' end as nearest_role",
  },
  'the farthest grant counts': {
    right: 'max(position << 39 | greatest(standing, case when live then temporary end)) as own_live',
    wrong: 'min(position << 39 | greatest(standing, case when live then temporary end)) as own_live',
  },
  'a temporary grant replaces the standing one': {
    right: 'greatest(standing, case when live then temporary end)',
    wrong: 'coalesce(case when live then temporary end, standing)',
  },
  'the standing grant comes before the temporary one': {
    right: 'greatest(standing, case when live then temporary end)',
    wrong: 'coalesce(standing, case when live then temporary end)',
  },
  'an organizationPrivate resource requires no membership': {
    right: "target.access_type = 'organizationPrivate' and held.member_until is not null then",
    wrong: "target.access_type = 'organizationPrivate' then",
  },
  'a disabled document is accessible': {
    right: "o.disabled or (item.kind = 'document' and r.disabled) as is_disabled",
    wrong: 'o.disabled as is_disabled',
  },
  'a disabled organization is accessible': {
    right: "o.disabled or (item.kind = 'document' and r.disabled) as is_disabled",
    wrong: "(item.kind = 'document' and r.disabled) as is_disabled",
  },
  'a disabled user is decided as if enabled': {
    right: "when target.is_user_disabled then 'user_disabled'\n",
    wrong: '\n',
  },
  'a declared resource does not exist': {
    right: 'and r.id = item.resource_id limit 1',
    wrong: 'and r.id = item.resource_id and r.added_at is not null limit 1',
  },
  'documents do not inherit from their folder': {
    right: 'coalesce(r.own_access_type, f.boundary_access_type, item.default_access_type)',
    wrong: 'coalesce(r.own_access_type, item.default_access_type)',
  },
  'a viewer is enough for everything': {
    right: '(at_least is null or nearest_role >= at_least)',
    wrong: 'true',
  },
  'a commenter is enough for an editor': {
    right: '(at_least is null or nearest_role >= at_least)',
    wrong: "(at_least is null or nearest_role >= least(at_least, 'commenter'))",
  },
  'a viewer is enough for a commenter': {
    right: '(at_least is null or nearest_role >= at_least)',
    wrong: "(at_least is distinct from 'editor' or nearest_role = 'editor')",
  },
  'a commenter has the rank of a viewer': {
    right: "when 'commenter' then 137438953472 else 0 end",
    wrong: 'else 0 end',
  },
  'an expired grant of commenter is no reason': {
    right: 'else null::access_role end >= r.at_least',
    wrong: "else null::access_role end = 'editor'",
  },
  "a group's grant counts after the user has left the organization": {
    right: 'case when held.member_until is not null\n',
    wrong: 'case when true\n',
  },
  "a group's grant lasts longer than the membership": {
    right: 'least(held.of_groups[1] >> 17 & 137438953471, held.member_until)',
    wrong: '(held.of_groups[1] >> 17 & 137438953471)',
  },
  'the strongest grant counts, not the nearest': {
    right: 'position << 39 | greatest(standing, case when live then temporary end)',
    wrong:
      'case when standing > 137438953471 then 99 else position end << 39 | greatest(standing, case when live then temporary end)',
  },
  'the grants of groups the user is not in count': {
    right: 'where m.organization_key = item.organization_key and m.user_id = item.user_id\n',
    wrong: 'where m.organization_key = item.organization_key\n',
  },
  'of groups on one resource, a viewer comes before an editor': {
    right: 'g.standing_role desc, g.principal',
    wrong: 'g.standing_role, g.principal',
  },
  'of equal groups, the last is named': {
    right: 'g.standing_role desc, g.principal',
    wrong: 'g.standing_role desc, g.principal desc',
  },
  "a group's grant without an end hides one with an end": {
    right: 'order by g.expires_at is not null desc, g.standing_role',
    wrong: 'order by g.expires_at is not null, g.standing_role',
  },
  "a group's grant has no end": {
    right: 'when is_over or expires_at is not null then',
    wrong: 'when is_over then',
  },
  'of groups, the farthest counts': {
    right: 'order by position desc limit 1\n',
    wrong: 'order by position limit 1\n',
  },
  'only a few of the many grants of a user are read': {
    right: 'where (select count(*) from few) =',
    wrong: 'where 0 =',
  },
  'the list of who has access to something inside forgets the folders in it': {
    right: 'select f.resource_key from folder f union all select $2::uuid',
    wrong: 'select $2::uuid as resource_key',
  },
}

/** The number of worlds that a usual run of worlds.test.ts compares. */
const WORLDS = 150
const SEED = 2
/** The number of organizations that are compared at the same time. */
const BATCH = 20

const mutating = createMutating()

describe('the random worlds catch a mutant', { skip: ENGINE === 'embedded' }, async () => {
  const server = await startServer({}, mutating.through)
  const organizations: (Compared & { nthWorld: number })[] = []

  beforeAll(async () => {
    const specs = fc.sample(world, { seed: SEED, numRuns: WORLDS })
    const made = await Promise.all(
      specs.map(async (spec, index) => {
        const client = await server.newKey()
        await client.call(updateKeyConfig, settingsOf(spec.defaults))
        const built = await Promise.all(spec.organizations.map((one, nth) => buildWorld(client, `o${nth}`, one)))
        await setDisabled(client, spec.disabledUsers, true)
        return built.map((each) => ({ world: each, key: keyOf(spec), nthWorld: index + 1 }))
      }),
    )
    organizations.push(...made.flat())
  })

  /** Returns how many worlds had to be compared to see a difference from the interpreter, and the difference. */
  async function firstCatch(what: 'decisions' | 'inside') {
    for (let from = 0; from < organizations.length; from += BATCH) {
      const batch = organizations.slice(from, from + BATCH)
      const different = await findDifferent(server.clock, batch, what)
      const first = Math.min(...different.keys())
      if (different.size > 0) return { worlds: batch[first]?.nthWorld, error: different.get(first) }
    }
    return undefined
  }

  it('and accept the original', async () => {
    for (const what of ['decisions', 'inside'] as const) assert.ifError((await firstCatch(what))?.error)
  })

  for (const [name, mutant] of Object.entries(MUTANTS))
    it(name, async (t) => {
      const isIn = ({ text }: { text: string }) => text.includes(mutant.right)
      const what = isIn(DECIDE) ? 'decisions' : 'inside'
      assert.ok(isIn(DECIDE) || isIn(INSIDE_CANDIDATES), `no statement says: ${mutant.right}`)
      const caught = await mutating.during(mutant, () => firstCatch(what))
      assert.ok(caught, `not caught in ${WORLDS} worlds`)
      t.annotate(`caught by the first ${caught.worlds} worlds`)
    })
})
