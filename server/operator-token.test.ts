/** The link of the first visit signs somebody in only if nobody else can call the server (rules/operators.md#the-first-visit). */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { readConfig } from './config.ts'
import { createFirstVisitToken } from './operator-token.ts'

const OPERATOR_TOKEN = 'cho_of-the-data-folder'
const tokenWith = (settings: Record<string, string>) =>
  createFirstVisitToken({ ...readConfig(settings), SIGNUP_TOKEN: settings.SIGNUP_TOKEN ?? OPERATOR_TOKEN })

it('is created for an embedded server that listens only to this machine, a new one for each start', () => {
  const own: Record<string, string>[] = [{}, { HOST: '127.0.0.1' }, { HOST: '::1' }, { HOST: 'localhost' }]
  const tokens = own.map(tokenWith)
  for (const token of tokens) assert.match(token ?? '', /^[\w-]{43}$/)
  assert.equal(new Set(tokens).size, tokens.length)
})

it('is not created behind a name or a proxy, on a network, with PostgreSQL, or with another sign-up setting', () => {
  const others: Record<string, string>[] = [
    { PUBLIC_URL: 'https://hold.example.com' },
    { PUBLIC_URL: 'http://127.0.0.1:8080' },
    { TRUST_PROXY: 'loopback' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '127.0.0.1.example.com' },
    { DATABASE_URL: 'postgres://localhost/x', MASTER_KEY: 'a'.repeat(64) },
    { SIGNUP: 'open' },
    { SIGNUP: 'closed' },
    { SIGNUP_TOKEN: 'a-token-of-the-operator' },
  ]
  for (const settings of others) assert.equal(tokenWith(settings), undefined, JSON.stringify(settings))
})
