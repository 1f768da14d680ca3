/** Passkeys of operators: registering, signing in and confirming with them, and attacks on that (rules/operators.md#passkeys). */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { removeOperator } from '#contract/workspace/operators.ts'
import { resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import type { Answer, Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { type Authenticator, type Claims, createAuthenticator } from '#testing/stand-ins/authenticator.ts'
import { apiKeyOf, type Callers, callersFrom } from '../../../test/conformance/support/callers.ts'
import {
  asOwner,
  cookieOf,
  SESSION,
  signIn,
  signInAs,
  whose,
} from '../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, withoutRequestId } from '../../../test/conformance/support/refused.ts'

const RP = { origin: 'https://hold.example.com', rpId: 'hold.example.com' }
const server = await startServer({ PUBLIC_URL: RP.origin })
const { client } = server
afterAll(() => server.clock.set(null))

const MINUTES = 60_000
const later = (ms: number) => server.clock.set(new Date(Date.now() + ms))

let mine: Callers
let kim: Client & { operatorId: string }
beforeEach(async () => {
  server.clock.set(null)
  mine = await callersFrom(client)
  kim = await person('admin')
})

/** Invites somebody and signs in as them; the cookie is that of https. */
const person = async (role: 'admin' | 'developer' | 'support') => signInAs(mine.workspace, role, 'Kim')

const call = async (by: Client, name: string, data: object = {}): Promise<Answer> => by.post(`/console/${name}`, data)
const optionsOf = async (by: Client, name: string) => {
  const { body, text } = await call(by, name)
  return body.result?.data.options ?? assert.fail(text)
}
const claims = async (by: Client, name: string, more: Partial<Claims> = {}): Promise<Claims> => ({
  ...RP,
  challenge: (await optionsOf(by, name)).challenge,
  ...more,
})

async function register(by: Client = kim, authenticator = createAuthenticator()): Promise<Authenticator> {
  const passkey = authenticator.register(await claims(by, 'passkeys/register'))
  const answer = await call(by, 'passkeys/add', { name: 'Laptop', passkey })
  assert.equal(answer.http, 200, answer.text)
  return authenticator
}

const anybody = client.with(SESSION)
const start = (passkey: object) => call(anybody, 'session/start', { passkey })
const signInWith = async (authenticator: Authenticator, more: Partial<Claims> = {}): Promise<Answer> =>
  start(authenticator.authenticate(await claims(anybody, 'passkeys/sign-in', more)))
const sessionOf = (answer: Answer): Client => client.with({ ...SESSION, cookie: cookieOf(answer).split(';')[0] ?? '' })
const namesOf = async (by: Client): Promise<string[]> =>
  (await call(by, 'passkeys/list')).body.result.data.passkeys.map(({ name }: { name: string }) => name)
const typesOf = async () =>
  (await eventsOfWorkspace(server.db, mine.workspace.headers['x-service-workspace-id'] ?? '')).map(({ type }) => type)

describe('a passkey', () => {
  it('is registered by its operator, signs in as that person, and is removed', async () => {
    const options = await optionsOf(kim, 'passkeys/register')
    assert.deepEqual(options.rp, { name: 'Commonhold', id: RP.rpId })
    assert.equal(options.authenticatorSelection.userVerification, 'required')
    assert.equal(options.authenticatorSelection.residentKey, 'required')
    const authenticator = await register()
    assert.deepEqual(await namesOf(kim), ['Laptop'])
    const answer = await signInWith(authenticator)
    assert.equal(answer.http, 200, answer.text)
    const session = sessionOf(answer)
    assert.equal((await whose(session)).operator.id, kim.operatorId)
    const { body } = await call(session, 'passkeys/list')
    const [{ id, lastUsedAt }] = body.result.data.passkeys
    assert.ok(lastUsedAt > 0 && body.result.data.isOffered)
    assert.equal((await call(session, 'passkeys/remove', { passkeyId: id })).http, 200)
    refused(await signInWith(authenticator), 'UNAUTHENTICATED')
    const types = (await typesOf()).filter((type) => type.startsWith('operator.passkey'))
    assert.deepEqual(types, ['operator.passkey_added', 'operator.passkey_removed'])
  })

  it('confirms a session before secrets are shown', async () => {
    const authenticator = await register()
    const secrets = () => kim.post(getAuthTokens.path, { apiKey: apiKeyOf(mine.apiKey) })
    later(11 * MINUTES)
    assert.equal(refused(await secrets(), 'PERMISSION_DENIED').reason, 'sign_in_again')
    const passkey = authenticator.authenticate(await claims(kim, 'session/challenge'))
    assert.equal((await call(kim, 'session/confirm', { passkey })).http, 200)
    assert.equal((await secrets()).http, 200)
    later(22 * MINUTES)
    assert.equal(refused(await secrets(), 'PERMISSION_DENIED').reason, 'sign_in_again')
  })

  it('is added and removed only after a recent sign-in, and by operators alone', async () => {
    await register()
    const [{ id: passkeyId }] = (await call(kim, 'passkeys/list')).body.result.data.passkeys
    later(11 * MINUTES)
    for (const [name, data] of [
      ['passkeys/register', {}],
      ['passkeys/remove', { passkeyId }],
    ] as const)
      assert.equal(refused(await call(kim, name, data), 'PERMISSION_DENIED').reason, 'sign_in_again')
    assert.deepEqual(await namesOf(kim), ['Laptop'])
    server.clock.set(null)
    const byToken = await signIn(client, asOwner(mine))
    for (const name of ['passkeys/list', 'passkeys/register', 'session/challenge'])
      refused(await call(byToken, name), 'UNAUTHENTICATED')
  })

  it('ends with its operator', async () => {
    const authenticator = await register()
    await mine.workspace.call(removeOperator, { operatorId: kim.operatorId })
    refused(await signInWith(authenticator), 'UNAUTHENTICATED')
  })

  it('is not offered at an address without a name, where browsers support none', async () => {
    const plain = await startServer()
    const callers = await callersFrom(plain.client)
    const session = await signInAs(callers.workspace, 'support')
    assert.equal((await call(session, 'passkeys/list')).body.result.data.isOffered, false)
  })
})

describe('signing in is refused, always with the same response,', () => {
  const wrong: [why: string, attempt: (authenticator: Authenticator) => Promise<Answer>][] = [
    ['with another origin', (key) => signInWith(key, { origin: 'https://hold.example.com.evil.example' })],
    ['with http in place of https', (key) => signInWith(key, { origin: 'http://hold.example.com' })],
    ['for another relying party', (key) => signInWith(key, { rpId: 'example.com' })],
    ['without verification of the user', (key) => signInWith(key, { userVerified: false })],
    ['with the signature of a registration', (key) => signInWith(key, { type: 'webauthn.create' })],
    ['with a challenge that was not given', (key) => signInWith(key, { challenge: 'Y2hhbGxlbmdl' })],
    ['with an unknown key', () => signInWith(createAuthenticator())],
    [
      'with a challenge for another purpose',
      async (key) => start(key.authenticate(await claims(kim, 'session/challenge'))),
    ],
    [
      'with a challenge of five minutes ago',
      async (key) => {
        const old = key.authenticate(await claims(anybody, 'passkeys/sign-in'))
        later(5 * MINUTES + 5_000)
        return start(old)
      },
    ],
    [
      'a second time with the same response',
      async (key) => {
        const passkey = key.authenticate(await claims(anybody, 'passkeys/sign-in'))
        assert.equal((await start(passkey)).http, 200)
        return start(passkey)
      },
    ],
    [
      'when the count goes back: the key was copied',
      async (key) => {
        assert.equal((await signInWith(key)).http, 200)
        key.count = 0
        return signInWith(key)
      },
    ],
    [
      'with the signature of another key',
      async (key) => {
        const of = await claims(anybody, 'passkeys/sign-in')
        return start({ ...createAuthenticator().authenticate(of), id: key.credentialId, rawId: key.credentialId })
      },
    ],
    ['with nonsense', () => start({ id: 'x', response: { clientDataJSON: 'x' } })],
  ]
  for (const [why, attempt] of wrong)
    it(why, async () => {
      const answer = await attempt(await register())
      refused(answer, 'UNAUTHENTICATED')
      assert.equal(answer.headers.get('set-cookie'), null)
      const guess = await call(anybody, 'session/start', { link: 'x'.repeat(43) })
      assert.equal(withoutRequestId(answer), withoutRequestId(guess))
    })

  it('for all but one of several concurrent uses of one response', async () => {
    const authenticator = await register()
    const passkey = authenticator.authenticate(await claims(anybody, 'passkeys/sign-in'))
    const answers = await Promise.all(Array.from({ length: 6 }, () => start(passkey)))
    assert.equal(answers.filter(({ http }) => http === 200).length, 1)
  })
})

describe('confirming is refused', () => {
  const confirm = async (passkey: object) => call(kim, 'session/confirm', { passkey })

  it('with the passkey of another operator, of this or of another workspace', async () => {
    const lee = await person('developer')
    const theirs = await signInAs((await callersFrom(client)).workspace, 'owner')
    for (const other of [lee, theirs]) {
      const authenticator = await register(other)
      refused(await confirm(authenticator.authenticate(await claims(kim, 'session/challenge'))), 'UNAUTHENTICATED')
      await register()
      refused(await confirm(authenticator.authenticate(await claims(other, 'session/challenge'))), 'UNAUTHENTICATED')
    }
  })

  it('with a token of another workspace, and of an API key', async () => {
    const theirs = await callersFrom(client)
    for (const { headers } of [theirs.workspace, mine.apiKey])
      refused(await call(kim, 'session/confirm', { token: headers['x-service-auth-token'] }), 'UNAUTHENTICATED')
    const { token } = asOwner(mine)
    assert.equal((await call(kim, 'session/confirm', { token })).http, 200)
  })

  it('with a token of the workspace that is being replaced', async () => {
    const { token } = asOwner(mine)
    await mine.workspace.call(resetWorkspaceToken, { gracePeriodSeconds: 60 })
    const refusal = refused(await call(kim, 'session/confirm', { token }), 'PERMISSION_DENIED')
    assert.equal(refusal.reason, 'workspace_token_replaced')
  })
})

describe('registering is refused', () => {
  it('for the challenge of another operator, a second time, and for a key that is registered', async () => {
    const lee = await person('support')
    const add = (by: Client, passkey: object) => call(by, 'passkeys/add', { name: 'x', passkey })
    const foreign = createAuthenticator().register(await claims(lee, 'passkeys/register'))
    refused(await add(kim, foreign), 'UNAUTHENTICATED')
    const authenticator = createAuthenticator()
    const passkey = authenticator.register(await claims(kim, 'passkeys/register'))
    assert.equal((await add(kim, passkey)).http, 200)
    refused(await add(kim, passkey), 'UNAUTHENTICATED')
    refused(await add(lee, authenticator.register(await claims(lee, 'passkeys/register'))), 'UNAUTHENTICATED')
    for (const more of [{ origin: 'https://evil.example' }, { userVerified: false }, { rpId: 'evil.example' }]) {
      const wrong = createAuthenticator().register(await claims(kim, 'passkeys/register', more))
      refused(await add(kim, wrong), 'UNAUTHENTICATED')
    }
    assert.deepEqual([await namesOf(kim), await namesOf(lee)], [['x'], []])
  })

  it('without the header that other sites cannot send', async () => {
    const { cookie = '' } = kim.headers
    for (const name of [
      'passkeys/register',
      'passkeys/add',
      'passkeys/list',
      'passkeys/remove',
      'session/confirm',
      'passkeys/sign-in',
    ])
      refused(await call(client.with({ cookie }), name), 'INVALID_ARGUMENT')
  })
})
