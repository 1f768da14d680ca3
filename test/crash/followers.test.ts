/** A follower of events that is killed at any step loses no event and handles none twice. */
import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { deathsOf, runScript } from './crash-points.ts'
import type { FollowOrder } from './crashing-follower.ts'

describe('following events', () => {
  test('handles each event exactly once and in order, at whichever step its process was killed', async (t) => {
    const store = await createLastingStore()
    const server = await startProcess(store.settings)
    const { headers } = await server.client.newKey()
    await server.kill('SIGTERM')
    const apiKeyId = headers['x-service-api-key'] ?? ''

    /** The next run also processes the work that a killed process left behind. */
    async function follow(dieAt: FollowOrder['dieAt']): Promise<string[]> {
      const order: FollowOrder = { apiKeyId, dieAt }
      return (await runScript('crashing-follower.ts', store.settings, order)).steps
    }

    const steps = await follow(null)
    for (const death of deathsOf(steps)) await follow(death)
    await follow(null)
    const db = await store.open()
    const { rows } = await db.query(
      `select (select array_agg(sequence order by place) from followed)
                = (select array_agg(sequence order by sequence) from events where type = 'user_token.generated') as once,
              (select count(*) from followed) >= 1200 as "isNotEmpty"`,
    )
    await db.close()
    assert.deepEqual(rows, [{ once: true, isNotEmpty: true }])
    t.annotate(`${steps.length} steps: ${steps.join(', ')}`)
  })
})
