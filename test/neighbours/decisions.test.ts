/** The questions of one tenant, however many, do not have those of another refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/decisions.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe('a tenant that asks 140,000 questions at once', () => {
  it('is refused what is too much, while every call of another is answered', async () => {
    const [busy, quiet] = [await server.newKey(), await server.newKey()]
    const cells = {
      ...{ organizationId: 'acme', userIds: ids('u', 10), documentIds: ids('d', 999) },
      skipResourceExistenceValidation: true,
    }
    const flood = Promise.all(Array.from({ length: 14 }, () => busy.post(getPermissions.path, cells)))
    const checks = ids('d', 300).map((id) => ({
      ...{ userId: 'ada', resource: { type: 'document' as const, id, organizationId: 'acme' } },
    }))
    const answers: number[] = []
    for (const size of [300, 1, 300, 1, 300])
      answers.push((await quiet.post(checkPermissions.path, { checks: checks.slice(0, size) })).http)
    assert.deepEqual(answers, [200, 200, 200, 200, 200])
    const refused = (await flood).filter(({ http }) => http !== 200)
    assert.ok(refused.length > 0 && refused.every(({ http }) => http === 429), 'its own queue is bounded')
  })
})
