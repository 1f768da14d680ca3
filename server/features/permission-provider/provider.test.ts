/**
 * The server asks a permission provider before it denies a user token, and stores its grants as temporary grants
 * (rules/access.md#permission-providers).
 */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'vitest'
import { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { updatePermissionProviderConfig } from '#contract/access/permission-provider.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'
import { disableApiKey, enableApiKey } from '#contract/keys/api-keys.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { disableDocuments } from '#contract/resources/documents.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { disableOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { revokeTokens } from '#contract/users/user-tokens.ts'
import { updateUsers } from '#contract/users/users.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Answer, Client } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { startServer } from '#testing/server.ts'
import {
  ACME,
  askedIn,
  entriesFor,
  PROVIDER_TOKEN,
  ROADMAP,
  responseWith,
  startAskingUser,
} from '#testing/stand-ins/permission-provider.ts'
import { type Received, type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'
import { apiKeyOf, type Callers, callersFrom } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused } from '../../../test/conformance/support/refused.ts'

const server = await startServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { clock, db } = server
afterEach(() => clock.set(null))

const NOW = 2_000_000_000
const at = (seconds: number) => clock.set(new Date(seconds * 1000))

/** Decides about resources with a user token; returns the decisions. */
const check = async (user: Client, resources: readonly ResourceName[] = [ROADMAP], more: object = {}) =>
  (await user.call(checkPermissions, { checks: resources.map((resource) => ({ resource, ...more })) })).checks

const grantsOf = async (key: Client) => (await key.call(listGrants, { organizationId: 'acme' })).grants

const grant = (key: Client, resource: ResourceName, more: object = {}) =>
  key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [{ ...resource, ...more }] } })

describe('a call with a user token', () => {
  it('asks about all denied resources once, in one request, and decides again', async () => {
    at(NOW)
    const { key, ada, provider, asked } = await startAskingUser(server, ({ type }) =>
      type === 'document'
        ? { hasAccess: true, accessRole: 'viewer', expiresAt: (NOW + 60) * 1000 - 1 }
        : { hasAccess: false },
    )
    const [roadmap, acme, again] = await check(ada, [ROADMAP, ACME, ROADMAP])
    assert.deepEqual([roadmap?.allowed, roadmap?.accessRole, roadmap?.reason], [true, 'viewer', 'grant'])
    assert.equal(roadmap?.expiresAt, NOW + 60)
    assert.deepEqual([again, acme?.allowed, acme?.reason], [roadmap, false, 'no_grant'])
    const [request, ...more] = provider.received
    assert.equal(more.length, 0)
    assert.equal(request?.headers.authorization, `Bearer ${PROVIDER_TOKEN}`)
    assert.deepEqual(request && askedIn(request), [
      { userId: 'ada', resource: { ...ROADMAP, parentFolderId: 'plans', source: 'identify' } },
      { userId: 'ada', resource: { ...ACME, organizationId: 'acme', source: 'identify' } },
    ])
    assert.deepEqual(await grantsOf(key), [
      {
        ...{ userId: 'ada', type: 'document', id: 'roadmap', accessRole: 'viewer' },
        ...{ expiresAt: NOW + 60, source: 'permission_provider' },
      },
    ])
    assert.deepEqual(await check(ada), [roadmap])
    assert.deepEqual(asked(), [['document roadmap', 'organization acme']])
  })

  it('asks also for permissions/get, and lists the grants', async () => {
    const { ada, asked } = await startAskingUser(server)
    const { ada: answer } = await ada.call(getPermissions, { organizationId: 'acme', documentIds: ['roadmap'] })
    assert.equal(answer?.organization.acme?.accessRole, 'editor')
    assert.equal(answer?.documents?.roadmap?.accessRole, 'editor')
    assert.deepEqual(asked(), [['organization acme', 'document roadmap']])
  })

  it('does not ask about stored access, or when the provider is off or has no URL', async () => {
    const { key, ada, asked } = await startAskingUser(server)
    await grant(key, ROADMAP)
    assert.equal((await check(ada))[0]?.allowed, true)
    for (const settings of [
      { usePermissionProvider: false },
      { usePermissionProvider: true, permissionProviderConfig: { permissionProviderUrl: '' } },
    ]) {
      await key.call(updatePermissionProviderConfig, settings)
      assert.equal((await check(ada, [ACME]))[0]?.allowed, false)
    }
    assert.deepEqual(asked(), [])
  })

  it('asks again after a denial, which stores nothing, and after a grant has expired', async () => {
    at(NOW)
    let hasAccess = false
    const { key, ada, asked } = await startAskingUser(server, () => ({ hasAccess }))
    for (const _ of [1, 2]) assert.equal((await check(ada))[0]?.reason, 'no_grant')
    assert.deepEqual(await grantsOf(key), [])
    hasAccess = true
    assert.equal((await check(ada))[0]?.expiresAt, NOW + 3_600)
    at(NOW + 3_600)
    hasAccess = false
    assert.equal((await check(ada))[0]?.reason, 'grant_expired')
    assert.equal(asked().length, 4)
  })

  it('does not ask about disabled resources', async () => {
    const { key, ada, asked } = await startAskingUser(server)
    await key.call(disableDocuments, { organizationId: 'acme', documentIds: ['roadmap'], disabled: true })
    assert.equal((await check(ada))[0]?.reason, 'disabled')
    await key.call(disableOrganizations, { organizationIds: ['acme'], disabled: true })
    const unknown = { ...ROADMAP, id: 'unknown' }
    assert.deepEqual(
      (await check(ada, [ACME, unknown])).map(({ reason }) => reason),
      ['disabled', 'does_not_exist'],
    )
    assert.deepEqual(asked(), [])
  })

  it('asks about unknown resources, unless the key requires known ones, and about a document that has another id now under that id', async () => {
    const { key, ada, asked } = await startAskingUser(server)
    const [one] = await check(ada, [{ ...ROADMAP, id: 'new' }])
    assert.deepEqual([one?.allowed, one?.reason], [true, 'grant'])
    await completeMigration(key, { organizationId: 'acme', documentId: 'roadmap', newDocumentId: 'moved' })
    await key.call(updateKeyConfig, { requireKnownResources: true })
    const denied = await check(ada, [ROADMAP, { ...ROADMAP, id: 'other' }, { type: 'organization', id: 'other' }])
    assert.deepEqual(
      denied.map(({ reason, migratedTo }) => [reason, migratedTo]),
      [['does_not_exist', 'moved'], ...[1, 2].map(() => ['does_not_exist', undefined])],
    )
    assert.deepEqual(asked(), [['document new'], ['document moved']])
  })
})

describe('a call about the old id of a document', () => {
  it('decides everything again after the provider was asked about the new one', async () => {
    const { key, ada, provider, asked } = await startAskingUser(server)
    const other = { ...ROADMAP, id: 'other' }
    await grant(key, other)
    await completeMigration(key, { organizationId: 'acme', documentId: 'roadmap', newDocumentId: 'moved' })
    provider.answer = async (received) => {
      await key.call(disableUsers, { userIds: ['ada'], disabled: true })
      return responseWith(entriesFor(received, () => ({ hasAccess: true })))
    }
    const decisions = await check(ada, [other, ROADMAP])
    assert.deepEqual(asked(), [['document moved']])
    assert.deepEqual(
      decisions.map(({ reason, migratedTo }) => [reason, migratedTo]),
      [
        ['user_disabled', undefined],
        ['does_not_exist', undefined],
      ],
    )
  })
})

describe('a user who is disabled while the provider is asked', () => {
  it('does not learn the new id of a document, even if nobody was disabled before', async () => {
    const { key, ada, provider } = await startAskingUser(server)
    await completeMigration(key, { organizationId: 'acme', documentId: 'roadmap', newDocumentId: 'moved' })
    await grant(key, { ...ROADMAP, id: 'moved' })
    provider.answer = async (received) => {
      await key.call(disableUsers, { userIds: ['ada'], disabled: true })
      return responseWith(entriesFor(received, () => ({ hasAccess: true })))
    }
    const decisions = await check(ada, [ROADMAP, ACME])
    assert.deepEqual(
      decisions.map(({ reason, migratedTo }) => [reason, migratedTo]),
      [
        ['does_not_exist', undefined],
        ['user_disabled', undefined],
      ],
    )
  })
})

describe('an answer that arrives after a change of the API key', () => {
  const answeredAfter = async (change: (callers: Callers) => Promise<unknown>, resource: ResourceName) => {
    const callers = await callersFrom(server.client)
    const { ada, provider } = await startAskingUser({ ...server, newKey: async () => callers.apiKey })
    provider.answer = async (received) => {
      await change(callers)
      return responseWith(entriesFor(received, () => ({ hasAccess: true })))
    }
    const [decision] = await check(ada, [resource])
    return { ...callers, decision }
  }

  it('declares nothing if the key requires known resources now', async () => {
    const { apiKey, decision } = await answeredAfter(
      (callers) => callers.apiKey.call(updateKeyConfig, { requireKnownResources: true }),
      { ...ROADMAP, id: 'new' },
    )
    assert.equal(decision?.reason, 'does_not_exist')
    assert.deepEqual(await grantsOf(apiKey), [])
  })

  it('gives nothing if the key is disabled now', async () => {
    const { apiKey, workspace, decision } = await answeredAfter(
      (callers) => callers.workspace.call(disableApiKey, { apiKey: apiKeyOf(callers.apiKey) }),
      ROADMAP,
    )
    assert.equal(decision?.reason, 'no_grant')
    await workspace.call(enableApiKey, { apiKey: apiKeyOf(apiKey) })
    assert.deepEqual(await grantsOf(apiKey), [])
  })
})

describe('a call with an auth token', () => {
  it('never asks', async () => {
    const { key, asked } = await startAskingUser(server)
    const { checks } = await key.call(checkPermissions, { checks: [{ userId: 'ada', resource: ROADMAP }] })
    assert.equal(checks[0]?.allowed, false)
    assert.deepEqual(asked(), [])
  })
})

describe('a grant of the provider', () => {
  it('is named by explain and by its event', async () => {
    const { key, ada } = await startAskingUser(server)
    const [event, ...more] = await eventsDuring(db, apiKeyOf(key), () => check(ada))
    assert.equal(more.length, 0)
    assert.deepEqual(
      [event?.type, event?.userId, event?.resourceId, event?.actor],
      ['permission.added', 'ada', 'roadmap', { system: 'permission_provider' }],
    )
    const { chain } = await key.call(explainPermissions, { userId: 'ada', resource: ROADMAP })
    assert.deepEqual(
      chain[0]?.grants.map(({ source, live }) => [source, live]),
      [['permission_provider', true]],
    )
  })

  it('is kept in addition to a standing grant, which applies again after it', async () => {
    at(NOW)
    const { key, ada } = await startAskingUser(server)
    await grant(key, ROADMAP, { accessRole: 'viewer' })
    const [editor] = await check(ada, [ROADMAP], { atLeast: 'editor' })
    assert.deepEqual([editor?.accessRole, editor?.expiresAt], ['editor', NOW + 3_600])
    at(NOW + 3_600)
    const [viewer] = await check(ada)
    assert.deepEqual([viewer?.accessRole, viewer?.expiresAt], ['viewer', undefined])
  })

  it('does not replace a live temporary grant that somebody else gave, and is replaced by one', async () => {
    at(NOW)
    const { key, ada } = await startAskingUser(server)
    const week = { accessRole: 'viewer', expiresAt: NOW + 604_800 }
    await grant(key, ROADMAP, week)
    assert.equal((await check(ada, [ROADMAP], { atLeast: 'editor' }))[0]?.allowed, false)
    assert.deepEqual(await grantsOf(key), [{ userId: 'ada', type: 'document', id: 'roadmap', ...week }])
    await check(ada, [ACME])
    await grant(key, ACME, { expiresAt: NOW + 60 })
    const [ofAcme] = await grantsOf(key)
    assert.deepEqual([ofAcme?.expiresAt, ofAcme?.source], [NOW + 60, undefined])
  })

  it('lowers no role that the user has: a question about a stronger one takes nothing away', async () => {
    at(NOW)
    const { key, ada, asked } = await startAskingUser(server, () => ({ hasAccess: true, accessRole: 'viewer' }))
    await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
    await grant(key, { type: 'folder', id: 'plans', organizationId: 'acme' }, { accessRole: 'commenter' })
    const [editor] = await check(ada, [ROADMAP, ACME], { atLeast: 'editor' })
    assert.deepEqual([editor?.allowed, asked()], [false, [['document roadmap', 'organization acme']]])
    const [roadmap, acme] = await check(ada, [ROADMAP, ACME])
    assert.deepEqual([roadmap?.accessRole, roadmap?.via?.id], ['commenter', 'plans'])
    assert.deepEqual([acme?.accessRole, acme?.expiresAt], ['viewer', NOW + 3_600])
  })

  it('moves with its document', async () => {
    const { key, ada } = await startAskingUser(server)
    await check(ada)
    await check(ada, [{ ...ROADMAP, id: 'declared' }])
    await completeMigration(key, {
      ...migrateDocument.example,
      organizationId: 'acme',
      documentId: 'roadmap',
      newDocumentId: 'declared',
    })
    assert.deepEqual(
      (await grantsOf(key)).map(({ id, source }) => [id, source]),
      [['declared', 'permission_provider']],
    )
  })
})

const VIEWER_FOR_A_MINUTE = { hasAccess: true, accessRole: 'viewer', expiresAt: (NOW + 60) * 1000 } as const

describe('a sign-out', () => {
  const given = { userId: 'ada', type: 'document', id: 'roadmap', accessRole: 'viewer', expiresAt: NOW + 60 } as const
  const SAME = {
    'permissions.add': (key: Client) => grant(key, ROADMAP, { accessRole: 'viewer', expiresAt: NOW + 60 }),
    'grants.add': (key: Client) => key.call(addGrants, { grants: [{ ...given, organizationId: 'acme' }] }),
  }
  for (const [name, giveSame] of Object.entries(SAME))
    it(`keeps a grant that somebody else has given since with ${name}, even if it is the same`, async () => {
      at(NOW)
      const { key, ada } = await startAskingUser(server, () => VIEWER_FOR_A_MINUTE)
      await check(ada)
      assert.deepEqual(await eventsDuring(db, apiKeyOf(key), () => giveSame(key)), [])
      assert.deepEqual(await grantsOf(key), [given])
      await key.call(revokeTokens, { userId: 'ada' })
      assert.deepEqual(await grantsOf(key), [given])
    })

  it('keeps a role that users.update has changed since', async () => {
    at(NOW)
    const { key, ada } = await startAskingUser(server, () => VIEWER_FOR_A_MINUTE)
    await check(ada)
    const users = [{ userId: 'ada', accessRole: 'editor' as const }]
    await key.call(updateUsers, { organizationId: 'acme', documentId: 'roadmap', users })
    await key.call(revokeTokens, { userId: 'ada' })
    assert.deepEqual(await grantsOf(key), [{ ...given, accessRole: 'editor' }])
  })

  it('revokes all grants of the provider, with events, and nothing else', async () => {
    at(NOW)
    const { key, ada } = await startAskingUser(server)
    await grant(key, ROADMAP, { accessRole: 'viewer' })
    await grant(key, { type: 'folder', id: 'plans', organizationId: 'acme' }, { expiresAt: NOW + 60 })
    await check(ada, [ROADMAP, ACME, { type: 'organization', id: 'other' }], { atLeast: 'editor' })
    const events = await eventsDuring(db, apiKeyOf(key), () => key.call(revokeTokens, { userId: 'ada' }))
    assert.deepEqual(
      events.map(({ type, resourceId, organizationId }) => `${type} ${organizationId} ${resourceId}`).sort(),
      [
        'permission.removed acme acme',
        'permission.removed acme roadmap',
        'permission.removed other other',
        'user_token.revoked null null',
      ],
    )
    assert.deepEqual(
      (await grantsOf(key)).map(({ id, expiresAt }) => [id, expiresAt]),
      [
        ['plans', NOW + 60],
        ['roadmap', undefined],
      ],
    )
    assert.deepEqual(await eventsDuring(db, apiKeyOf(key), () => key.call(revokeTokens, { userId: 'bob' })), [])
  })

  it('also discards an answer that the provider is about to give', async () => {
    const { key, ada, provider } = await startAskingUser(server)
    provider.answer = () => 'hang'
    const asking = ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })
    await provider.until(1)
    await key.call(revokeTokens, { userId: 'ada' })
    provider.answer = (received) => responseWith(entriesFor(received, () => ({ hasAccess: true })))
    const { reason } = refused(await asking, 'UNAUTHENTICATED')
    assert.equal(reason, 'credentials_invalid')
    assert.deepEqual(await grantsOf(key), [])
  })
})

it('a user who is disabled while the provider is asked is denied, whatever it answers', async () => {
  const { key, ada, provider } = await startAskingUser(server)
  provider.answer = () => 'hang'
  const asking = ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })
  await provider.until(1)
  await key.call(disableUsers, { userIds: ['ada'], disabled: true })
  provider.answer = (received) => responseWith(entriesFor(received, () => ({ hasAccess: true })))
  const [{ allowed, reason }] = (await asking).body.result.data.checks
  assert.deepEqual([allowed, reason], [false, 'user_disabled'])
})

describe('a provider that is replaced while it is asked', () => {
  const yes = (received: Received) => responseWith(entriesFor(received, () => ({ hasAccess: true })))
  const no = (received: Received) => responseWith(entriesFor(received, () => ({ hasAccess: false })))
  const failing = () => ({ status: 200, headers: {}, body: 'nonsense' })

  /** Changes the settings while the first provider is asked, which then answers so; returns the response to the user. */
  async function askedMeanwhile(
    answer: (received: Received) => Reply,
    change: (key: Client) => Promise<unknown>,
  ): Promise<{ key: Client; response: Answer }> {
    const { key, ada, provider } = await startAskingUser(server)
    provider.answer = () => 'hang'
    const asking = ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })
    await provider.until(1)
    await change(key)
    provider.answer = answer
    return { key, response: await asking }
  }

  for (const [how, answer] of Object.entries({ yes, no, failing })) {
    it(`has no effect if it was switched off: it responds ${how}`, async () => {
      const { key, response } = await askedMeanwhile(answer, (key) =>
        key.call(updatePermissionProviderConfig, { usePermissionProvider: false }),
      )
      assert.equal(response.http, 200, response.text)
      assert.equal(response.body.result.data.checks[0].allowed, false)
      assert.deepEqual(await grantsOf(key), [])
    })

    it(`is ignored, and the other one counts: it responds ${how}`, async () => {
      const other = await startReceiver((received) =>
        responseWith(entriesFor(received, () => ({ hasAccess: true, accessRole: 'viewer' }))),
      )
      cleanUp(() => other.close())
      const { key, response } = await askedMeanwhile(answer, (key) =>
        key.call(updatePermissionProviderConfig, { permissionProviderConfig: { permissionProviderUrl: other.url } }),
      )
      assert.equal(response.http, 200, response.text)
      assert.equal(response.body.result.data.checks[0].accessRole, 'viewer')
      assert.deepEqual(
        (await grantsOf(key)).map(({ accessRole }) => accessRole),
        ['viewer'],
      )
    })
  }

  it('does not count after its token was replaced: it is asked again with the other', async () => {
    const { key, ada, provider } = await startAskingUser(server)
    provider.answer = () => 'hang'
    const asking = ada.post(checkPermissions.path, { checks: [{ resource: ROADMAP }] })
    await provider.until(1)
    await key.call(updatePermissionProviderConfig, { permissionProviderConfig: { authToken: 'another' } })
    provider.answer = yes
    assert.equal((await asking).body.result.data.checks[0].allowed, true)
    assert.equal(provider.received.at(-1)?.headers.authorization, 'Bearer another')
  })
})
