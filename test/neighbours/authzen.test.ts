/** The cost of a call depends on the size of its body, however often one part of the body is used. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { AUTHZEN_PATHS } from '#contract/access/authzen.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

describe('AuthZEN evaluations that share an invalid default', () => {
  it('validate it once: a thousand cost about as much as one', async () => {
    const { headers } = await server.newKey()
    const large = Array.from({ length: 100_000 }, () => [])
    const timed = async (count: number, subject = large) => {
      const evaluations = Array.from({ length: count }, () => ({}))
      const body = JSON.stringify({ subject, x: '\u0000', evaluations })
      const began = performance.now()
      const response = await fetch(server.url + AUTHZEN_PATHS.evaluations, {
        ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body },
      })
      const answer = (await response.json()) as { evaluations: { context: { error: { message: string } } }[] }
      assert.equal(answer.evaluations.length, count)
      for (const { context } of answer.evaluations) assert.equal(context.error.message, 'subject must be an object')
      return performance.now() - began
    }
    await timed(1)
    const one = await timed(1)
    const small = await timed(1_000, [[]])
    const thousand = await timed(1_000)
    const costs = `${thousand} ms for a thousand, ${one} ms for one, ${small} ms for a thousand of a small one`
    assert.ok(thousand < 20 * (one + small), costs)
  })
})
