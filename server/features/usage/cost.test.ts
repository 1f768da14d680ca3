/** The cost of counting: at most 0.5 % of the counted check, for a single check and for a thousand (ADR 0060). */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { EndedCall } from '#http/pipeline.ts'
import { sharedServer } from '#testing/server.ts'
import { countCall } from './calls.ts'
import { KeyCounts } from './counting.ts'

const server = await sharedServer()
const resource = { type: 'document' as const, id: 'd', organizationId: 'acme' }

/** Returns the least milliseconds of several runs, because disturbances only make a run longer. */
async function fastest(runs: number, run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < runs; nth++) {
    const began = performance.now()
    await run()
    least = Math.min(least, performance.now() - began)
  }
  return least
}

for (const { checks: count, calls } of [
  { checks: 1, calls: 1_000 },
  { checks: 1_000, calls: 10 },
])
  it(`costs at most 0.5 % of a call with ${count} checks`, async () => {
    const key = await server.newKey()
    await key.call(addPermissions, { user: { userId: 'user-0' }, permissions: { resources: [resource] } })
    const checks = Array.from({ length: count }, (_, nth) => ({ userId: `user-${nth}`, resource }))
    const ended: EndedCall = {
      ...{ apiKeyId: 'k' as ApiKeyId, operation: checkPermissions.name, caller: undefined },
      ...{ body: { data: { checks } }, decidedUsers: [], status: 200, isAnswered: true },
    }
    const pending = new Map([['k', new KeyCounts()]])
    const countMs =
      (await fastest(20, () => {
        for (let nth = 0; nth < calls; nth++) countCall(pending.get(ended.apiKeyId) as KeyCounts, ended)
      })) / calls
    const callMs = await fastest(20, () => key.call(checkPermissions, { checks }))
    assert.ok(countMs <= callMs * 0.005, `${countMs} ms to count ${callMs} ms`)
  })
