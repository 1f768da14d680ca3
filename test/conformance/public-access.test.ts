/**
 * Every operation that gives or lists access to a public resource warns that everyone has access to it
 * (rules/contract.md#warnings). A new operation fails this test until it warns, or has a reason here.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { sharedServer } from '#testing/server.ts'
import { newExampleWorld } from './support/example-world.ts'

const server = await sharedServer()

/** Fields that occur only in calls about access. */
const ABOUT_ACCESS = ['accessRole', 'accessType', 'defaultDocumentAccessType', 'everyone', 'grants']

/** Families of operations that give access, some of them without such a field: by a location, a group or the end of a suspension. */
const MAY_GIVE =
  /^(permissions|grants|permitted-.*|organizations|(folder|document)s|(folder|document)-access|document-users|users|user-group-users|user-(access|data|invitations|tokens)|invitations|workspaces|api-keys|key-config)\./

/** The reason why a call has no `warnings`. */
const SAYS_IT_OTHERWISE: Readonly<Record<string, string>> = {
  'permissions.get': 'each decision has `accessType`',
  'permissions.check': 'each decision has `accessType`',
  'folders.get': 'each record has `accessType`',
  'documents.get': 'each record has `accessType`',
  'key-config.get': 'it returns `defaultDocumentAccessType`',
  'user-access.revoke': 'its result has `public`',
  'findings.list': 'what is public by mistake is a finding',
}
const TAKES_OR_TELLS_NOTHING: Readonly<Record<string, string>> = {
  'permissions.remove': 'it revokes',
  'users.delete': 'it revokes',
  'user-group-users.delete': 'it revokes',
  'user-data.delete': 'it erases',
  'user-access-revocations.get': 'it reports a job that revokes',
  'user-tokens.revoke': 'it revokes',
  'user-tokens.verify': 'it tells who a token is of',
  'folders.delete': 'it deletes',
  'documents.delete': 'it deletes',
  'organizations.delete': 'it deletes',
  'api-keys.delete': 'it deletes',
  'documents.update': 'it changes names and metadata',
  'documents.count': 'it counts',
  'users.count': 'it counts people with grants',
  'invitations.count': 'it counts',
  'organizations.add': 'an organization without anything in it gives nothing',
  'organizations.update': 'it changes names, metadata and suspensions, of which `organizations.disable` warns',
  'organizations.get': 'it lists names and metadata',
  'users.disable': 'it changes nothing about resources: a user who is enabled has what everyone has',
  'api-keys.update': 'it renames',
  'api-keys.get': 'it lists names',
  'api-keys.disable': 'it suspends',
  'api-keys.enable': 'it ends a suspension of all calls, and decides nothing',
  'workspaces.get': 'it lists names',
  'permission-signatures.generate': 'it signs what another system decided',
  'profiles.set': 'it changes what is known of a person',
}

/** Calls to replace examples that give no access themselves. */
const OPENING: Readonly<Record<string, object>> = {
  'folder-access.set': { organizationId: 'acme', folderIds: ['plans'], accessType: 'public' },
  'document-access.set': { organizationId: 'acme', documentIds: ['roadmap'], accessType: 'public' },
  'documents.disable': { organizationId: 'acme', documentIds: ['roadmap'], disabled: false },
  'organizations.disable': { organizationIds: ['acme'], disabled: false },
  'users.get': { organizationId: 'acme', documentId: 'roadmap' },
  'user-invitations.get': { organizationId: 'acme', email: 'grace@example.com' },
}

/** Calls that need more than an example; server/features/permissions/grants/public-access.test.ts makes them. */
const SHOWN_BESIDE = ['invitations.respond', 'user-group-users.add']

const isAboutAccess = ({ name, data, result }: Operation): boolean => {
  if (MAY_GIVE.test(name)) return true
  const text = JSON.stringify([data, result ?? null])
  return ABOUT_ACCESS.some((field) => text.includes(`"${field}":`))
}

const named = OPERATIONS.filter(isAboutAccess)
const saying = named.filter(({ name }) => !(name in SAYS_IT_OTHERWISE || name in TAKES_OR_TELLS_NOTHING))

describe('the warning about public access', () => {
  it('is listed for existing operations only', () => {
    const names = new Set(named.map(({ name }) => name))
    const unknown = [SAYS_IT_OTHERWISE, TAKES_OR_TELLS_NOTHING, OPENING].flatMap(Object.keys)
    assert.deepEqual(
      unknown.filter((name) => !names.has(name)),
      [],
    )
  })

  it.each(saying.map((operation) => [operation.name, operation] as const))('is said by %s', async (name, operation) => {
    assert.equal(operation.warns, true, `${name} gives or lists access: say so in warnings, or here why not`)
    if (SHOWN_BESIDE.includes(name)) return
    const codes = async (defaultDocumentAccessType: 'public' | 'restricted') => {
      const world = await newExampleWorld(server.client, operation)
      await world.callers.apiKey.call(updateKeyConfig, { defaultDocumentAccessType })
      const data = {
        ...fromPublicKey(name, world.exampleOf(operation), defaultDocumentAccessType),
        ...(defaultDocumentAccessType === 'public' ? OPENING[name] : {}),
        ...ofDefault(name, defaultDocumentAccessType),
      }
      const { http, body, text } = await world.post(operation, data)
      assert.equal(http, 200, text)
      const warnings: { code: string }[] = body.result.warnings ?? []
      return [...new Set(warnings.map(({ code }) => code))]
    }
    assert.deepEqual(await codes('public'), ['public_access'], 'where the default of the key is public')
    assert.deepEqual(await codes('restricted'), [], 'where it is restricted')
  })
})

/** Calls that set the default themselves. */
const SETS_DEFAULT = ['workspaces.create', 'api-keys.create', 'key-config.update']
let workspaces = 0
const ofDefault = (name: string, defaultDocumentAccessType: string) => ({
  ...(SETS_DEFAULT.includes(name) && { defaultDocumentAccessType }),
  // An address can own only a few workspaces, and other files have created some with the address of the example.
  ...(name === 'workspaces.create' && { ownerEmail: `public${process.pid}.${++workspaces}@example.com` }),
})

/** The example of `key-config.copy` copies from a restricted key to a public one; the other way round it opens the target. */
const fromPublicKey = (name: string, example: object, accessType: 'public' | 'restricted'): object => {
  if (name !== 'key-config.copy' || accessType === 'restricted') return example
  const { sourceApiKey, targetApiKey } = example as { sourceApiKey: string; targetApiKey: string }
  return { sourceApiKey: targetApiKey, targetApiKey: sourceApiKey }
}
