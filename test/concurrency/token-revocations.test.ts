/**
 * Revocations among sign-ins of the same users, from several processes at once: a token that was handed out before a
 * revocation began is ended by it, one that was asked for after a revocation was answered is not.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateToken, revokeTokens, verifyToken } from '#contract/user-tokens.ts'
import type { Client } from '../support/client.ts'
import { createLastingStore, startProcess } from '../support/process.ts'
import { ENGINE } from '../support/server.ts'

const ROUNDS = 12
const USERS = ['ada', 'bob']

interface Span {
  began: number
  answered: number
}
interface Token extends Span {
  token: string
}

async function timed<T>(work: Promise<T>): Promise<Span & { value: T }> {
  const began = performance.now()
  const value = await work
  return { began, answered: performance.now(), value }
}

/** One process on the embedded engine, which has one for itself. */
async function startProcesses(): Promise<Client[]> {
  const store = await createLastingStore()
  const settings = { ...store.settings, PUBLIC_URL: 'https://api.example.com' } // both of them sign for it
  const first = await startProcess(settings)
  const servers = ENGINE === 'embedded' ? [first] : [first, await startProcess(settings)]
  const { headers } = await first.client.newKey()
  return servers.map(({ client }) => client.with(headers))
}

describe('revocations and sign-ins at the same moment', () => {
  it('have an order that everybody sees, whichever process they go through', async () => {
    const clients = await startProcesses()
    const at = (turn: number) => clients[turn % clients.length] as Client
    const tokens = new Map<string, Token[]>(USERS.map((userId) => [userId, []]))
    const revocations = new Map<string, Span[]>(USERS.map((userId) => [userId, []]))

    const signIns = async (userId: string, turn: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { value, ...span } = await timed(at(turn + round).call(generateToken, { userId }))
        tokens.get(userId)?.push({ ...span, token: value.token })
      }
    }
    const revokes = async (userId: string, turn: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { value: _none, ...span } = await timed(at(turn + round).call(revokeTokens, { userId }))
        revocations.get(userId)?.push(span)
        const all = tokens.get(userId) ?? []
        const before = all.filter(({ answered }) => answered < span.began).slice(-2)
        for (const { token } of before)
          for (const client of clients)
            assert.deepEqual(await client.call(verifyToken, { token }), { active: false, reason: 'revoked' })
      }
    }
    await Promise.all(
      USERS.flatMap((userId) => [0, 1, 2].map((turn) => signIns(userId, turn)).concat(revokes(userId, 1))),
    )

    for (const userId of USERS)
      for (const { token, began, answered } of tokens.get(userId) ?? []) {
        const all = revocations.get(userId) ?? []
        const mustBeOver = all.some((revocation) => revocation.began > answered)
        const mustBeValid = all.every((revocation) => revocation.answered < began)
        for (const client of clients) {
          const { active } = await client.call(verifyToken, { token })
          if (mustBeOver) assert.equal(active, false)
          if (mustBeValid) assert.equal(active, true)
        }
      }
    for (const userId of USERS) {
      const { token } = await at(0).call(generateToken, { userId })
      assert.equal((await at(1).call(verifyToken, { token })).active, true)
    }
  })
})
