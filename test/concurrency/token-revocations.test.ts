/**
 * Revocations during sign-ins of the same users, from several processes: a token that was issued before a
 * revocation began is revoked by it; one that was requested after the response to a revocation is not.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { generateToken, revokeTokens, verifyToken } from '#contract/users/user-tokens.ts'
import type { Client } from '#testing/client.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'

const ROUNDS = 12
const USERS = ['ada', 'bob']

/** The times at which a call began and got its response, as its caller sees them. */
interface Span {
  began: number
  answered: number
}

interface Look extends Span {
  active: boolean
}

interface Token extends Span {
  token: string
  looks: Look[]
}

async function timed<T>(work: () => Promise<T>): Promise<[Span, T]> {
  const began = performance.now()
  const value = await work()
  return [{ began, answered: performance.now() }, value]
}

/** One process on the embedded engine, which allows no more. */
async function startProcesses(): Promise<Client[]> {
  const store = await createLastingStore()
  const settings = { ...store.settings, PUBLIC_URL: 'https://api.example.com' } // both of these processes sign for it
  const first = await startProcess(settings)
  const servers = ENGINE === 'embedded' ? [first] : [first, await startProcess(settings)]
  const { headers } = await first.client.newKey()
  return servers.map(({ client }) => client.with(headers))
}

/** Checks a token through every process. */
async function look({ token, looks }: Token, clients: readonly Client[]): Promise<void> {
  for (const client of clients) {
    const [span, { active }] = await timed(() => client.call(verifyToken, { token }))
    looks.push({ ...span, active })
  }
}

/** Returns the calls of one user: three clients sign in and one revokes. */
async function race(userId: string, clients: readonly Client[]): Promise<{ tokens: Token[]; revocations: Span[] }> {
  const tokens: Token[] = []
  const revocations: Span[] = []
  const through = (turn: number) => clients[turn % clients.length] as Client
  const signIns = async (turn: number, rounds = ROUNDS) => {
    for (let round = 0; round < rounds; round++) {
      const [span, { token }] = await timed(() => through(turn + round).call(generateToken, { userId }))
      const one = { ...span, token, looks: [] }
      tokens.push(one)
      await look(one, clients)
    }
  }
  const revokes = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [span] = await timed(() => through(round).call(revokeTokens, { userId }))
      revocations.push(span)
      for (const token of tokens.slice(-3)) await look(token, clients)
    }
  }
  await Promise.all([signIns(0), signIns(1), signIns(2), revokes()])
  await signIns(0, 1)
  for (const token of tokens) await look(token, clients)
  return { tokens, revocations }
}

describe('concurrent revocations and sign-ins', () => {
  it('have one order, the same through every process', async () => {
    const clients = await startProcesses()
    const seen = { over: 0, valid: 0 }
    for (const { tokens, revocations } of await Promise.all(USERS.map((userId) => race(userId, clients))))
      for (const token of tokens)
        for (const { began, answered, active } of token.looks) {
          const isOver = revocations.some((one) => token.answered < one.began && one.answered < began)
          const isValid = revocations.every((one) => one.answered < token.began || answered < one.began)
          if (isOver) assert.equal(active, false, 'a token that was handed out before a revocation outlived it')
          if (isValid) assert.equal(active, true, 'a token was ended that nobody revoked')
          seen.over += Number(isOver)
          seen.valid += Number(isValid)
        }
    assert.ok(seen.over > 100 && seen.valid > 0, `the race proves something: ${JSON.stringify(seen)}`)
  })
})
