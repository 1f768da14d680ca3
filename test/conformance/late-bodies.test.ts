/** Credentials that are revoked while the body of a call is still arriving: the call is refused (SECURITY.md). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants } from '#contract/access/grants.ts'
import { disableApiKey } from '#contract/keys/api-keys.ts'
import { resetAuthToken } from '#contract/keys/auth-tokens.ts'
import { generateToken, revokeTokens } from '#contract/users/user-tokens.ts'
import { resetWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import { type LateRequest, requestWithLateBody } from '#testing/late-body.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf, callersFrom } from './support/callers.ts'

const server = await startServer()

/** Longer than a body may take before the credentials are looked up again. */
const LATE_MS = 1_500

const CHECK = { checks: [{ userId: 'ada', resource: { type: 'organization', id: 'acme' } }] }
const EVALUATION = {
  subject: { type: 'user', id: 'ada' },
  action: { name: 'view' },
  resource: { type: 'organization', id: 'acme' },
}

test('a call whose body arrives after its credentials were revoked is refused', async () => {
  const callers = await callersFrom(server.client)
  const disabled = await callersFrom(server.client)
  const { token } = await callers.apiKey.call(generateToken, { userId: 'ada' })
  const user = { authorization: `Bearer ${token}` }
  const GRANT = { grants: [{ userId: 'ada', type: 'organization', id: 'acme' }] }
  const late = (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<LateRequest> =>
    requestWithLateBody(server.url + path, headers, body)
  const calls: [expected: number, request: LateRequest][] = [
    [401, await late(checkPermissions.path, callers.apiKey.headers, { data: CHECK })],
    [401, await late(addGrants.path, callers.apiKey.headers, { data: GRANT })],
    [401, await late('/access/v1/evaluation', callers.apiKey.headers, EVALUATION)],
    [401, await late(checkPermissions.path, user, { data: CHECK })],
    [401, await late(getWorkspace.path, callers.workspace.headers, { data: {} })],
    [403, await late(addGrants.path, disabled.apiKey.headers, { data: GRANT })],
  ]
  await callers.apiKey.call(revokeTokens, { userId: 'ada' })
  await callers.workspace.call(resetAuthToken, { apiKey: apiKeyOf(callers.apiKey) })
  await callers.workspace.call(resetWorkspaceToken, {})
  await disabled.workspace.call(disableApiKey, { apiKey: apiKeyOf(disabled.apiKey) })
  await sleep(LATE_MS)
  const statuses = await Promise.all(calls.map(([, { finish }]) => finish()))
  assert.deepEqual(
    statuses,
    calls.map(([expected]) => expected),
  )
})
