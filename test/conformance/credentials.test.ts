/** Every operation checks its credentials before anything else: the headers, and the response to each wrong one. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type Operation, SCOPES, type Scope } from '#contract/core/operation.ts'
import { disableApiKey, enableApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken, resetAuthToken, revokeAuthToken } from '#contract/keys/auth-tokens.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { createClient } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf, callersFrom } from './support/callers.ts'
import { refused, withoutRequestId } from './support/refused.ts'

const server = await startServer()
/** Two tenants whose own tokens no test changes. */
const mine = await callersFrom(server.client)
const other = await callersFrom(server.client)
const NOT_VALID = 'The credentials are not valid.'

const ID = { apiKey: 'x-service-api-key', workspace: 'x-service-workspace-id' }
const TOKEN = 'x-service-auth-token'
const LATER_TOKEN = 'x-service-workspace-auth-token'
const HOUR_SECONDS = 3_600

/** Returns the token with one character of the random part changed, so that its checksum is wrong. */
const misspelt = (token: string): string => token.slice(0, 12) + (token[12] === 'a' ? 'b' : 'a') + token.slice(13)

/** One operation of each kind of credentials is called over a socket, all others in process. */
const OVER_SOCKETS = (['workspace', 'apiKey'] as const).map((kind) =>
  OPERATIONS.find(({ credentials }) => credentials === kind),
)

const post = (operation: Operation, headers: Record<string, string>, body = '{"data":') =>
  (OVER_SOCKETS.includes(operation) ? createClient(server.url, headers) : server.client.with(headers)).raw(
    operation.path,
    body,
  )

/**
 * Returns the headers of callers whose keys and tokens have changed. No call changes them again, so every operation can
 * be called with them.
 */
async function newStates() {
  const reset = await callersFrom(server.client)
  const { newAuthToken } = await reset.workspace.call(resetAuthToken, { apiKey: apiKeyOf(reset.apiKey) })

  const { workspace, apiKey } = await callersFrom(server.client)
  const ids = { apiKey: apiKeyOf(apiKey) }
  const tokenOf = async (settings: object): Promise<{ id: string; token: string }> =>
    (await workspace.call(createAuthToken, { ...ids, name: 'any', ...settings })).authToken
  const revoked = await tokenOf({})
  await workspace.call(revokeAuthToken, { ...ids, authTokenId: revoked.id })
  const now = Math.floor(Date.now() / 1000)
  const unexpired = await tokenOf({ expiresAt: now + HOUR_SECONDS })
  server.clock.set(new Date((now - 2 * HOUR_SECONDS) * 1000))
  const expired = await tokenOf({ expiresAt: now - HOUR_SECONDS })
  server.clock.set(null)

  const disabled = await callersFrom(server.client)
  await disabled.workspace.call(disableApiKey, { apiKey: apiKeyOf(disabled.apiKey) })
  const enabledAgain = await callersFrom(server.client)
  for (const change of [disableApiKey, enableApiKey])
    await enabledAgain.workspace.call(change, { apiKey: apiKeyOf(enabledAgain.apiKey) })

  const as = ({ token }: { token: string }) => ({ ...apiKey.headers, [TOKEN]: token })
  return {
    beforeReset: reset.apiKey.headers,
    reset: { ...reset.apiKey.headers, [TOKEN]: newAuthToken.token },
    revoked: as(revoked),
    unexpired: as(unexpired),
    expired: as(expired),
    disabled: disabled.apiKey.headers,
    enabledAgain: enabledAgain.apiKey.headers,
  }
}
const states = await newStates()

const byScopes = new Map<string, Promise<Record<string, string>>>()

/** Returns the headers of a token with these scopes. */
function withScopes(scopes: Scope[]): Promise<Record<string, string>> {
  const made = byScopes.get(scopes.join()) ?? newToken(scopes)
  byScopes.set(scopes.join(), made)
  return made
}

async function newToken(scopes: Scope[]): Promise<Record<string, string>> {
  const data = { apiKey: apiKeyOf(mine.apiKey), name: 'some scopes', scopes }
  const { authToken } = await mine.workspace.call(createAuthToken, data)
  return { ...mine.apiKey.headers, [TOKEN]: authToken.token }
}

for (const operation of OPERATIONS) {
  const { credentials } = operation
  if (credentials === 'none') continue
  const id = ID[credentials]

  describe(operation.name, () => {
    const headers = { ...mine[credentials].headers }
    const foreign = { ...other[credentials].headers }

    describe('INVALID_ARGUMENT', () => {
      it.concurrent('names the header that is missing or empty', async () => {
        for (const name of [id, TOKEN]) {
          const { [name]: _left, ...rest } = headers
          for (const given of [rest, { ...rest, [name]: '' }]) {
            const { message, details } = refused(await post(operation, given), 'INVALID_ARGUMENT')
            assert.equal(message, `The header ${name} is required.`)
            assert.deepEqual(details, [{ field: name, message }])
          }
        }
      })
    })

    describe('UNAUTHENTICATED', () => {
      it.concurrent('is the same response, byte for byte, for every wrong pair', async () => {
        const [key = '', token = ''] = [headers[id], headers[TOKEN]]
        const wrong: Record<string, string>[] = [
          { [id]: misspelt(key), [TOKEN]: token },
          { [id]: 'nonsense', [TOKEN]: token },
          { [id]: `${key}\u00e9`, [TOKEN]: token },
          { [id]: 'x'.repeat(5_000), [TOKEN]: token },
          { [id]: foreign[id] ?? '', [TOKEN]: token },
          { [id]: key, [TOKEN]: foreign[TOKEN] ?? '' },
          { [id]: key, [TOKEN]: misspelt(token) },
          { [id]: key, [TOKEN]: 'nonsense' },
          { [id]: key, [TOKEN]: key },
          { [id]: key, [TOKEN]: token.toUpperCase() },
          { [id]: key, [TOKEN]: `${token} ${token}` },
          { [id]: token, [TOKEN]: key },
        ]
        const answers = await Promise.all(wrong.map((given) => post(operation, given)))
        for (const answer of answers) {
          assert.equal(refused(answer, 'UNAUTHENTICATED').message, NOT_VALID)
          assert.equal(withoutRequestId(answer), withoutRequestId(answers[0] ?? answer))
        }
      })

      it.concurrent('is the response to credentials of the other kind', async () => {
        const kind = credentials === 'apiKey' ? 'workspace' : 'apiKey'
        const token = mine[kind].headers[TOKEN] ?? ''
        refused(await post(operation, { ...headers, [TOKEN]: token }), 'UNAUTHENTICATED')
      })
    })

    it.concurrent('checks the credentials before the body, and then the body', async () => {
      refused(await post(operation, { ...headers, [TOKEN]: 'nonsense' }), 'UNAUTHENTICATED')
      refused(await post(operation, headers), 'INVALID_ARGUMENT')
      const wrongType = { ...headers, [TOKEN]: 'nonsense', 'content-type': 'text/plain' }
      refused(await post(operation, wrongType), 'UNAUTHENTICATED')
    })

    if (credentials === 'apiKey') {
      it.concurrent('refuses a token that was reset, and accepts the new one', async () => {
        assert.equal(refused(await post(operation, states.beforeReset), 'UNAUTHENTICATED').message, NOT_VALID)
        refused(await post(operation, states.reset), 'INVALID_ARGUMENT')
      })

      it.concurrent('refuses a token that was revoked, and one that has expired', async () => {
        for (const headers of [states.revoked, states.expired])
          assert.equal(refused(await post(operation, headers), 'UNAUTHENTICATED').message, NOT_VALID)
        refused(await post(operation, states.unexpired), 'INVALID_ARGUMENT')
      })

      it.concurrent('refuses a disabled key with PERMISSION_DENIED, but only with its own token', async () => {
        refused(await post(operation, states.disabled), 'PERMISSION_DENIED')
        refused(await post(operation, { ...states.disabled, [TOKEN]: foreign[TOKEN] ?? '' }), 'UNAUTHENTICATED')
        refused(await post(operation, states.enabledAgain), 'INVALID_ARGUMENT')
      })

      it.concurrent(`accepts a token with only the scope ${operation.scope}, and refuses one with all others, whatever the body`, async () => {
        const others = server.client.with(await withScopes(SCOPES.filter((scope) => scope !== operation.scope)))
        const answers = [
          await post(operation, others.headers),
          await post(operation, others.headers, ''),
          await post(operation, { ...others.headers, 'content-type': 'text/plain' }),
          await others.post(operation.path, operation.example),
          await others.post(operation.path, {}),
        ]
        for (const answer of answers) {
          const { reason, message } = refused(answer, 'PERMISSION_DENIED')
          assert.equal(reason, 'scope_missing')
          assert.equal(message, `The auth token does not have the scope "${operation.scope}".`)
        }
        refused(
          await post(operation, await withScopes(SCOPES.filter((s) => s === operation.scope))),
          'INVALID_ARGUMENT',
        )
      })
    } else {
      it.concurrent('accepts the token in either header', async () => {
        const { [TOKEN]: token = '', ...rest } = headers
        refused(await post(operation, { ...rest, [LATER_TOKEN]: token }), 'INVALID_ARGUMENT')
        refused(await post(operation, { ...headers, [LATER_TOKEN]: token }), 'INVALID_ARGUMENT')
      })

      it.concurrent('uses only the header of the workspace if both are sent, whatever the other contains', async () => {
        const { [TOKEN]: token = '', ...rest } = headers
        for (const other of [foreign[TOKEN] ?? '', mine.apiKey.headers[TOKEN] ?? '', 'nonsense']) {
          refused(await post(operation, { ...rest, [TOKEN]: token, [LATER_TOKEN]: other }), 'UNAUTHENTICATED')
          refused(await post(operation, { ...rest, [TOKEN]: other, [LATER_TOKEN]: token }), 'INVALID_ARGUMENT')
        }
      })
    }
  })
}

describe('HEADER_PREFIX=acme', () => {
  it('renames every header to x-acme-…, in requests and in messages', async () => {
    const { client, url } = await startServer({ HEADER_PREFIX: 'acme' })
    const callers = await callersFrom(client, 'acme')
    for (const operation of OPERATIONS) {
      if (operation.credentials === 'none') continue
      const caller = callers[operation.credentials]
      refused(await caller.raw(operation.path, '{"data":'), 'INVALID_ARGUMENT')
      const renamed = Object.entries(caller.headers).map(([name, value]) => [name.replace('acme', 'service'), value])
      const { message } = refused(
        await createClient(url, Object.fromEntries(renamed)).raw(operation.path, '{}'),
        'INVALID_ARGUMENT',
      )
      assert.match(message, /^The header x-acme-(api-key|workspace-id) is required\.$/)
    }
    const document = await (await fetch(`${url}/openapi.json`)).text()
    assert.ok(document.includes('x-acme-api-key'))
    assert.ok(!document.includes('x-service-'))
  })
})
