/** Explanations in random worlds: the decision equals that of `permissions.check`, and follows from what is shown. `WORLDS` and `SEED` as in worlds.test.ts. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { checkPermissions, type Decision } from '#contract/decisions.ts'
import { type Explanation, explainPermissions } from '#contract/explanations.ts'
import { updateKeyConfig } from '#contract/key-config.ts'
import { startServer } from '#testing/server.ts'
import { buildWorld, everyName } from './build.ts'
import { EXPIRIES, USERS, world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 40)
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
const TIME = new Date(EXPIRIES[0] * 1000)

const server = await startServer()
afterAll(() => server.clock.set(null))
const rulesSeen = new Set<number>()

/** Computes the decision (rules/access.md#decision) from the explanation alone. */
function decideFrom({ chain }: Explanation, migratedTo: string | undefined): { decision: Decision; rule: number } {
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

  const nearest = chain.find(({ grant }) => grant?.live)
  const opener = chain.slice(0, boundaryAt + 1).find(({ grant }) => grant?.live)
  const membership = accessType === 'organizationPrivate' && organization.grant?.live ? organization : undefined
  const [reason, rule, giver] =
    opener !== undefined
      ? (['grant', 3, opener] as const)
      : accessType === 'public'
        ? (['access_type', 4, boundary] as const)
        : (['membership', 5, membership] as const)
  if (giver === undefined) {
    const expired = chain.some(({ grant }) => grant?.reaches && !grant.live)
    return { decision: { allowed: false, ...shown, reason: expired ? 'grant_expired' : 'no_grant' }, rule: 6 }
  }
  const expiries = [nearest?.grant?.expiresAt, reason === 'membership' ? membership?.grant?.expiresAt : undefined]
  const expiresAt = Math.min(...expiries.filter((expiry) => expiry !== undefined))
  const decision: Decision = {
    allowed: true,
    accessRole: nearest?.grant?.accessRole ?? 'editor',
    ...shown,
    reason,
    via: { type: giver.type, id: giver.id, inherited: giver !== asked },
    ...(Number.isFinite(expiresAt) ? { expiresAt } : {}),
  }
  return { decision, rule }
}

describe('permissions.explain', () => {
  it(`decides as permissions.check does, and shows the basis of its decision, in ${WORLDS} random worlds`, async () => {
    const property = fc.asyncProperty(world, async ({ defaultAccessType, organizations }) => {
      server.clock.set(null)
      const client = await server.newKey()
      await client.call(updateKeyConfig, { defaultDocumentAccessType: defaultAccessType })
      const made = await Promise.all(organizations.map((spec, index) => buildWorld(client, `o${index}`, spec)))
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
    })
    await fc.assert(property, { numRuns: WORLDS, ...SEED })
    if (WORLDS >= 60) assert.deepEqual([...rulesSeen].sort(), [1, 2, 3, 4, 5, 6])
  })
})
