/** Single checks are sent together, and each gets the result that it would get alone. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import { type Client, CommonholdError, createUserClient, type Question } from '#sdk/index.ts'
import type { Client as Headers } from '#testing/client.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

/** Forwards calls to the server, and counts the checks in each. */
const calls: number[] = []
const counting = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  calls.push(JSON.parse(body.toString()).data.checks.length)
  const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
  const answer = await fetch(server.url + request.url, { method: 'POST', headers, body })
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
})
await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve))
const { port } = counting.address() as { port: number }
afterAll(() => counting.close().closeAllConnections())
const url = `http://127.0.0.1:${port}`

let key: Headers
let client: Client
beforeEach(async () => {
  key = await server.newKey()
  client = apiKeyClient(url, key)
  calls.length = 0
})

const document = (id: string): Question['resource'] => ({ type: 'document', id, organizationId: 'acme' })

function refusal(outcome: PromiseSettledResult<unknown> | undefined): CommonholdError {
  assert.ok(outcome?.status === 'rejected' && outcome.reason instanceof CommonholdError)
  return outcome.reason
}

describe('check', () => {
  it('sends 500 checks of one turn in one call', async () => {
    const documents = Array.from({ length: 100 }, (_, index) => ({ documentId: `d${index}` }))
    await key.call(addDocuments, { organizationId: 'acme', createOrganization: true, documents })
    await key.call(addUsers, {
      organizationId: 'acme',
      documentId: 'd7',
      users: [{ userId: 'ada', accessRole: 'viewer' }],
    })
    const questions = Array.from({ length: 500 }, (_, index) => ({
      userId: index % 5 === 0 ? 'ada' : `u${index}`,
      resource: document(`d${Math.floor(index / 5)}`),
    }))
    const answers = await Promise.all(questions.map((question) => client.check(question)))
    assert.deepEqual(calls, [500])
    assert.deepEqual(answers, (await key.call(checkPermissions, { checks: questions })).checks)
    assert.equal(answers[35]?.accessRole, 'viewer')
  })

  it('includes checks from promises of the same turn', async () => {
    const asking = async (depth: number): Promise<unknown> =>
      depth === 0 ? client.check({ userId: 'ada', resource: document('d') }) : asking(depth - 1)
    await Promise.all([asking(0), asking(1), asking(50)])
    assert.equal(calls.length, 1)
  })

  it('sends checks of another turn in another call', async () => {
    await client.check({ userId: 'ada', resource: document('d') })
    await client.check({ userId: 'ada', resource: document('d') })
    assert.deepEqual(calls, [1, 1])
  })

  it('sends at most 1,000 checks in a call', async () => {
    const questions = Array.from({ length: 2_001 }, (_, index) => ({ userId: `u${index}`, resource: document('d') }))
    const answers = await Promise.all(questions.map((question) => client.check(question)))
    assert.deepEqual(
      calls.toSorted((one, other) => one - other),
      [1, 1_000, 1_000],
    )
    assert.ok(answers.every(({ reason }) => reason === 'does_not_exist'))
  })

  it('sends equal checks once, and returns the decision to every caller', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => client.check({ userId: 'ada', resource: document('d') })))
    assert.deepEqual(calls, [1])
    assert.equal(answers.length, 3)
  })

  it('rejects an invalid check with an error about it alone, and resolves the others', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => (index % 20 === 3 ? '\u0007' : `d${index}`))
    const outcomes = await Promise.allSettled(ids.map((id) => client.check({ userId: 'ada', resource: document(id) })))
    const message = 'resource.id must not have control characters, or white space at its start or end'
    for (const [index, outcome] of outcomes.entries())
      if (index % 20 === 3) {
        const { status, reason, faults } = refusal(outcome)
        assert.deepEqual(
          { status, reason, faults },
          { status: 'INVALID_ARGUMENT', reason: 'invalid_argument', faults: [{ field: 'resource.id', message }] },
        )
        assert.equal(refusal(outcome).message, `check: ${message}`)
      } else assert.equal(outcome.status, 'fulfilled')
    // The three invalid questions are equal.
    assert.deepEqual(calls, [48, 47])
  })

  it('rejects every check if the call fails', async () => {
    const stranger = apiKeyClient(url, key.with({ ...key.headers, 'x-service-auth-token': 'nonsense' }))
    const outcomes = await Promise.allSettled(
      ['a', 'b'].map((id) => stranger.check({ userId: 'ada', resource: document(id) })),
    )
    for (const outcome of outcomes) assert.equal(refusal(outcome).status, 'UNAUTHENTICATED')
    assert.deepEqual(calls, [2])
  })

  it('rejects a check that is too long for a call, and resolves the others', async () => {
    const outcomes = await Promise.allSettled(
      ['a', 'b'.repeat(9_000_000), 'c'].map((id) => client.check({ userId: 'ada', resource: document(id) })),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal(refusal(outcomes[1]).reason, 'body_too_large')
  })

  it('rejects a check that JSON has no form for, and resolves the others', async () => {
    const questions = ['ada', Number.NaN as unknown as string].map((userId) => ({ userId, resource: document('d') }))
    const [one, other] = await Promise.allSettled(questions.map((question) => client.check(question)))
    assert.equal(one?.status, 'fulfilled')
    assert.ok(other?.status === 'rejected' && /userId must not be NaN/.test(other.reason.message))
    assert.deepEqual(calls, [1])
  })

  it('rejects an aborted check, and resolves the others', async () => {
    const giveUp = new AbortController()
    const question = { userId: 'ada', resource: document('d') }
    const given = client.check(question, { signal: giveUp.signal })
    const other = client.check(question)
    giveUp.abort(new Error('enough'))
    await assert.rejects(given, { message: 'enough' })
    assert.equal((await other).allowed, false)
    await assert.rejects(client.check(question, { signal: giveUp.signal }), { message: 'enough' })
  })

  it('decides about the user of a user token, and rejects only the checks about others', async () => {
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const page = createUserClient({ url, userToken: token })
    const own = Array.from({ length: 8 }, (_, index) => page.check({ resource: document(`d${index}`) }))
    const others = ['bob', 'eve'].map((userId) => page.check({ userId, resource: document('d') }))
    const outcomes = await Promise.allSettled([...own, ...others])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [...Array<string>(8).fill('fulfilled'), 'rejected', 'rejected'],
    )
    for (const outcome of outcomes.slice(-2)) assert.equal(refusal(outcome).reason, 'other_user')
  })
})
