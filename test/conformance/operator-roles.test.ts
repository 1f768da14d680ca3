/**
 * Every operation with every role, on testing and on production keys: allowed exactly where the table of the contract
 * says so (rules/operators.md#roles).
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import type { Operation } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { OPERATIONS, operationNamed } from '#contract/operations.ts'
import {
  isAtLeast,
  leastRolesOf,
  needsFreshSignIn,
  OPERATOR_ROLES,
  type OperatorRole,
} from '#contract/workspace/operator-roles.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { type Callers, callersFrom } from './support/callers.ts'
import { signInAs, signInCommandLineAs } from './support/console-session.ts'
import { GIVEN } from './support/example-world.ts'
import { refused } from './support/refused.ts'

const server = await startServer()
const TYPES = ['testing', 'production'] as const
type KeyType = (typeof TYPES)[number]

const OF_KEYS = OPERATIONS.filter(({ credentials }) => credentials === 'apiKey')
const OF_WORKSPACES = OPERATIONS.filter(({ credentials }) => credentials === 'workspace')

let callers: Callers
let keys: Record<KeyType, string>
const sessions = {} as Record<OperatorRole, Client>

beforeAll(async () => {
  callers = await callersFrom(server.client)
  const create = async (type: KeyType) => {
    const data = { ownerEmail: 'ada@example.com', type, planInfo: { type: 'production' } }
    return (await callers.workspace.call(createApiKey, data)).apiKey
  }
  keys = { testing: await create('testing'), production: await create('production') }
  for (const role of OPERATOR_ROLES) sessions[role] = await signInAs(callers.workspace, role)
})

const expected = (operation: Operation, role: OperatorRole, type: KeyType): boolean =>
  isAtLeast(role, leastRolesOf(operation)[type])

/** Asserts that a call was, or was not, refused because of the role. */
function assertRole(answer: Awaited<ReturnType<Client['post']>>, allowed: boolean, what: string): void {
  if (allowed) assert.notEqual(answer.body.error?.status, 'PERMISSION_DENIED', `${what}: ${answer.text}`)
  else assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'role_missing', what)
}

/** Returns the example of an operation of the workspace about one of the keys. */
const about = ({ example }: Operation, type: KeyType): object => {
  const data = JSON.parse(JSON.stringify(example).replaceAll(GIVEN.apiKey, keys[type]))
  return 'type' in data ? { ...data, type, planInfo: { type: 'production' } } : data
}

const namesKey = ({ data }: Operation): boolean =>
  /^(apiKey|targetApiKey|type)$/m.test(Object.keys((data as { properties?: object }).properties ?? {}).join('\n'))

for (const role of OPERATOR_ROLES)
  describe(`an operator with the role ${role}`, () => {
    for (const type of TYPES)
      it(`may do with a ${type} key what the table says`, async () => {
        const session = sessions[role].with({ ...sessions[role].headers, 'x-service-api-key': keys[type] })
        for (const operation of OF_KEYS) {
          const answer = await session.raw(operation.path, '{"data":')
          assertRole(answer, expected(operation, role, type), `${operation.name} on ${type}`)
        }
        for (const operation of OF_WORKSPACES.filter(namesKey)) {
          const answer = await session.post(operation.path, about(operation, type))
          assertRole(answer, expected(operation, role, type), `${operation.name} on ${type}`)
        }
      })

    it('may do with the workspace what the table says', async () => {
      for (const operation of OF_WORKSPACES) {
        const answer = await sessions[role].raw(operation.path, '{"data":')
        assertRole(answer, expected(operation, role, 'testing'), operation.name)
      }
    })

    it('reads the overview of a key, and nothing of a key that is not of the workspace', async () => {
      const named = (apiKey: string) => sessions[role].with({ ...sessions[role].headers, 'x-service-api-key': apiKey })
      assert.equal((await named(keys.production).post('/console/overview/get', {})).http, 200)
      const { 'x-service-api-key': theirs = '' } = (await callersFrom(server.client)).apiKey.headers
      for (const { path } of OF_KEYS) refused(await named(theirs).raw(path, '{"data":'), 'UNAUTHENTICATED')
    })
  })

it('binds the command line of an operator like their browser, in every operation', async () => {
  const { key, workspace } = await signInCommandLineAs(callers.workspace, 'developer')
  for (const operation of [...OF_KEYS, ...OF_WORKSPACES]) {
    const isOfKey = operation.credentials === 'apiKey'
    const answer = await (isOfKey ? key(keys.production) : workspace).raw(operation.path, '{"data":')
    assertRole(answer, expected(operation, 'developer', isOfKey ? 'production' : 'testing'), operation.name)
  }
})

describe('the table of roles', () => {
  /** Rows of the table, written by hand: the operation, and the minimum role for testing and for production keys. */
  const ROWS: [name: string, testing: OperatorRole, production: OperatorRole][] = [
    ['workspaces.get', 'support', 'support'],
    ['current-workspace-token.get', 'owner', 'owner'],
    ['workspace-tokens.get', 'support', 'support'],
    ['workspace-tokens.create', 'owner', 'owner'],
    ['workspace-tokens.reset', 'owner', 'owner'],
    ['workspace-tokens.revoke', 'owner', 'owner'],
    ['operators.get', 'admin', 'admin'],
    ['operators.invite', 'admin', 'admin'],
    ['operators.update', 'admin', 'admin'],
    ['operators.remove', 'admin', 'admin'],
    ['sso-config.get', 'owner', 'owner'],
    ['sso-config.update', 'owner', 'owner'],
    ['sso-config.test', 'owner', 'owner'],
    ['sso-domains.verify', 'owner', 'owner'],
    ['api-keys.get', 'support', 'support'],
    ['api-keys.create', 'developer', 'admin'],
    ['api-keys.delete', 'developer', 'admin'],
    ['auth-tokens.get', 'developer', 'admin'],
    ['auth-tokens.create', 'developer', 'admin'],
    ['key-config.copy', 'developer', 'admin'],
    ['email-config.update', 'developer', 'admin'],
    ['webhook-secrets.get', 'developer', 'admin'],
    ['signing-keys.rotate', 'developer', 'admin'],
    ['user-tokens.generate', 'developer', 'admin'],
    ['user-data.delete', 'developer', 'admin'],
    ['events.list', 'support', 'support'],
    ['account-events.list', 'support', 'support'],
    ['permissions.explain', 'support', 'support'],
    ['permissions.simulate', 'support', 'support'],
    ['permissions.add', 'developer', 'developer'],
    ['organizations.delete', 'developer', 'developer'],
    ['users.disable', 'developer', 'developer'],
  ]

  it('has the right role for these operations', () => {
    const rows = ROWS.map(([name]) => {
      const { testing, production } = leastRolesOf(operationNamed(name))
      return [name, testing, production]
    })
    assert.deepEqual(rows, ROWS)
  })

  it('asks for a recent sign-in wherever a secret is shown, a key deleted, a role given or single sign-on changed', () => {
    assert.deepEqual(
      OPERATIONS.filter(needsFreshSignIn).map(({ name }) => name),
      [
        'current-workspace-token.get',
        'workspace-tokens.create',
        'workspace-tokens.reset',
        'operators.invite',
        'operators.update',
        'sso-config.update',
        'sso-config.test',
        'sso-domains.verify',
        'api-keys.create',
        'api-keys.delete',
        'auth-tokens.get',
        'auth-tokens.reset',
        'auth-tokens.create',
        'webhook-secrets.get',
        'webhook-secrets.rotate',
        'user-tokens.generate',
      ],
    )
  })

  it('is applied after ten minutes to every operation that needs a recent sign-in, and to no other', async () => {
    const owner = sessions.owner.with({ ...sessions.owner.headers, 'x-service-api-key': keys.testing })
    server.clock.set(new Date(Date.now() + 11 * 60_000))
    for (const operation of [...OF_KEYS, ...OF_WORKSPACES]) {
      const { body, text } = await owner.raw(operation.path, '{"data":')
      const reason = needsFreshSignIn(operation) ? 'sign_in_again' : 'body_invalid'
      assert.equal(body.error.reason, reason, `${operation.name}: ${text}`)
    }
    server.clock.set(null)
  })

  it('does not apply to tokens', async () => {
    for (const operation of [...OF_KEYS, ...OF_WORKSPACES]) {
      const answer = await callers[operation.credentials].raw(operation.path, '{"data":')
      assert.equal(refused(answer, 'INVALID_ARGUMENT').reason, 'body_invalid', operation.name)
    }
  })
})
