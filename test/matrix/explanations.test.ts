/**
 * Explanations in random worlds: the decision equals that of `permissions.check`, and follows from the explanation.
 * `WORLDS` and `SEED` as in worlds.test.ts.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { checkPermissions, type Decision } from '#contract/access/decisions.ts'
import { type ExplainedGrant, type Explanation, explainPermissions } from '#contract/access/explanations.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { operationNamed } from '#contract/operations.ts'
import { FULL } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { buildWorld, everyName, setDisabled } from './build.ts'
import { ALL_ROLES, EXPIRIES, settingsOf, USERS, world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 40)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
const TIME = new Date(EXPIRIES[0] * 1000)

const server = await startServer()
afterAll(() => server.clock.set(null))
const rulesSeen = new Set<number>()

/** Computes the decision (rules/access.md#decision) from the explanation alone. */
function decideFrom(
  { chain, userDisabled }: Explanation,
  migratedTo: string | undefined,
): { decision: Decision; rule: number } {
  const [asked] = chain
  const organization = chain.at(-1)
  if (asked === undefined || organization === undefined)
    return {
      decision: { allowed: false, reason: 'does_not_exist', ...(migratedTo === undefined ? {} : { migratedTo }) },
      rule: 1,
    }
  const boundaryAt = chain.findIndex(({ boundary }) => boundary)
  const boundary = chain[boundaryAt] ?? assert.fail('no boundary')
  const accessType = boundary.accessType ?? boundary.defaultAccessType
  const shown = accessType === undefined ? {} : { accessType }
  if (organization.disabled || asked.disabled)
    return { decision: { allowed: false, ...shown, reason: 'disabled' }, rule: 2 }
  if (userDisabled) return { decision: { allowed: false, ...shown, reason: 'user_disabled' }, rule: 2 }

  const nearest = chain.find(({ grants }) => grants.some(({ live }) => live))
  const opener = chain.slice(0, boundaryAt + 1).find(({ grants }) => grants.some(({ live }) => live))
  const membership =
    accessType === 'organizationPrivate' && organization.grants.some(({ live }) => live) ? organization : undefined
  const [reason, rule, giver] =
    opener !== undefined
      ? (['grant', 3, opener] as const)
      : accessType === 'public'
        ? (['access_type', 4, boundary] as const)
        : (['membership', 5, membership] as const)
  if (giver === undefined) {
    const wasMember = organization.grants.some(({ groupId }) => groupId === undefined) // otherwise grants of groups would not count either
    const wouldCount = ({ reaches, live, groupId }: ExplainedGrant) =>
      reaches && !live && (groupId === undefined || wasMember)
    const expired = chain.some(({ grants }) => grants.some(wouldCount))
    return { decision: { allowed: false, ...shown, reason: expired ? 'grant_expired' : 'no_grant' }, rule: 6 }
  }
  const live = (nearest?.grants ?? []).filter((grant) => grant.live)
  const roles = live.length > 0 ? live.map((grant) => grant.accessRole) : [boundary.defaultAccessRole]
  const accessRole = ALL_ROLES.findLast((role) => roles.includes(role)) ?? 'viewer'
  const lastEnd = (ends: number[]) => Math.max(...(ends.length === 0 ? [Number.POSITIVE_INFINITY] : ends))
  const ofMember = organization.grants.filter((grant) => grant.live && grant.groupId === undefined)
  const memberUntil = lastEnd(ofMember.map(endOf))
  const giving = live.filter((grant) => grant.accessRole === accessRole)
  const capped = (grant: (typeof live)[number]) =>
    grant.groupId === undefined ? endOf(grant) : Math.min(endOf(grant), memberUntil)
  const end = lastEnd(giving.map(capped))
  const expiresAt = Math.min(end, reason === 'membership' ? memberUntil : Number.POSITIVE_INFINITY)
  const isOwn = giving.some((grant) => grant.groupId === undefined && endOf(grant) >= end)
  const [byGroup] = giving
    .filter(({ groupId }) => groupId !== undefined)
    .sort((one, other) => (endOf(one) === endOf(other) ? 0 : endOf(other) - endOf(one)))
  const group = reason !== 'grant' || isOwn ? undefined : byGroup?.groupId
  const decision: Decision = {
    allowed: true,
    accessRole,
    ...shown,
    reason,
    via: {
      ...(rule === 4 && giver === organization ? { type: 'keyDefault' } : { type: giver.type, id: giver.id }),
      inherited: giver !== asked,
      ...(group === undefined ? {} : { group }),
    },
    ...(Number.isFinite(expiresAt) ? { expiresAt } : {}),
  }
  return { decision, rule }
}

const endOf = ({ expiresAt = Number.POSITIVE_INFINITY }: { expiresAt?: number }): number => expiresAt

describe('permissions.explain', () => {
  it(`decides as permissions.check does, and shows the basis of its decision, in ${WORLDS} random worlds`, async () => {
    const property = fc.asyncProperty(world, async ({ defaults, disabledUsers, organizations }) => {
      server.clock.set(null)
      const client = await server.newKey()
      await client.call(updateKeyConfig, settingsOf(defaults))
      const made = await Promise.all(organizations.map((spec, index) => buildWorld(client, `o${index}`, spec)))
      await setDisabled(client, disabledUsers, true)
      server.clock.set(TIME)
      const questions = made.flatMap((organization) =>
        USERS.flatMap((userId) => everyName(organization).map((resource) => ({ userId, resource }))),
      )
      const { checks } = await client.call(checkPermissions, { checks: questions })
      const explanations = await Promise.all(questions.map((question) => client.call(explainPermissions, question)))
      for (const [index, explanation] of explanations.entries()) {
        assert.deepEqual(explanation.decision, checks[index])
        const { decision, rule } = decideFrom(explanation, checks[index]?.migratedTo)
        assert.deepEqual(explanation.decision, decision)
        assert.equal(explanation.rule.number, rule)
        rulesSeen.add(rule)
      }
      const ending = explanations.flatMap(({ decision: { expiresAt }, afterwards }, index) =>
        expiresAt === undefined ? [] : [{ expiresAt, afterwards, question: questions[index] ?? assert.fail() }],
      )
      for (const [expiresAt, group] of Map.groupBy(ending, ({ expiresAt }) => expiresAt)) {
        server.clock.set(new Date(expiresAt * 1000))
        const { checks } = await client.call(checkPermissions, { checks: group.map(({ question }) => question) })
        assert.deepEqual(
          group.map(({ afterwards }) => afterwards),
          checks,
        )
      }
    })
    await fc.assert(property, { numRuns: WORLDS, ...SEED })
    if (WORLDS >= 60) assert.deepEqual([...rulesSeen].sort(), [1, 2, 3, 4, 5, 6])
  })

  const ALTERNATIVES = FULL ? WORLDS : WORLDS / 2
  it(`names alternatives that each change the answer, in ${ALTERNATIVES} random worlds`, async () => {
    const seen = { allowed: 0, denied: 0 }
    // Most random questions have the same answer, so two thirds of the worlds choose among questions with a given
    // answer.
    const answer = fc.constantFrom(true, false, undefined)
    const property = fc.asyncProperty(
      world,
      answer,
      fc.nat(),
      fc.nat(),
      async (spec, allowed, question, alternative) => {
        server.clock.set(null)
        const client = await server.newKey()
        await client.call(updateKeyConfig, settingsOf(spec.defaults))
        const made = await buildWorld(client, 'o', spec.organizations[0] ?? assert.fail())
        await setDisabled(client, spec.disabledUsers, true)
        server.clock.set(TIME)
        const questions = USERS.flatMap((userId) => everyName(made).map((resource) => ({ userId, resource })))
        const answers = await client.call(checkPermissions, { checks: questions })
        const matching = questions.filter((_, index) => {
          const decided = answers.checks[index]
          return decided?.allowed === allowed && decided?.reason !== 'does_not_exist'
        })
        const among = matching.length > 0 ? matching : questions
        const asked = among[question % among.length] ?? assert.fail()
        const { decision, alternatives } = await client.call(explainPermissions, asked)
        const chosen = alternatives[alternative % alternatives.length]
        if (chosen === undefined) {
          assert.equal(decision.reason, 'does_not_exist')
          return
        }
        for (const { operation, data } of chosen.calls) {
          const { http, text } = await client.post(operationNamed(operation).path, data)
          assert.equal(http, 200, text)
        }
        const { checks } = await client.call(checkPermissions, { checks: [asked] })
        assert.equal(checks[0]?.allowed, !decision.allowed, chosen.sentence)
        seen[decision.allowed ? 'allowed' : 'denied']++
      },
    )
    await fc.assert(property, { numRuns: ALTERNATIVES, ...SEED })
    if (WORLDS >= 40) assert.ok(seen.allowed > 0 && seen.denied > 0)
  })
})
