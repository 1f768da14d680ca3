/**
 * Which values mean that a field is absent, for every operation and in both modes; also times with a fraction
 * (rules/contract.md#absent-fields).
 */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { addGrants, listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { needsNoData, writes } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
} from '#contract/resources/organizations.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, updateUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { completeErasure } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { absentValues, EMPTY_VALUES, exampleWithValue } from '../../../scripts/generated/absent-values-page.ts'
import { callerOf, callersFrom } from '../support/callers.ts'
import { exampleWorld } from '../support/example-world.ts'
import { refusedField } from '../support/refused.ts'
import { exampleWith, placesOf, written } from '../support/schema-walk.ts'

const organizationId = 'acme'

const at = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value)

/** The fields of an operation whose absence makes it affect more. */
const narrowingIn = (operation: Parameters<typeof placesOf>[0]) =>
  placesOf(operation).flatMap(({ path, schema }) => (schema.narrowing ?? []).map((name) => [...path, name]))

it('every field whose absence makes a call affect more is known', () => {
  const fields = OPERATIONS.flatMap((operation) =>
    narrowingIn(operation).map((path) => `${operation.name} ${written(path)}`),
  )
  assert.deepEqual(fields.sort(), [
    ...['activityIds', 'documentId', 'targetEntityId'].map((name) => `activities.delete ${name}`),
    'auth-tokens.reset gracePeriodSeconds',
    'comments.delete commentIds',
    'comments.delete userIds',
    'comments.update commentIds',
    'comments.update userIds',
    'key-config.copy dryRun',
    'key-config.update dryRun',
    'migrations.migrate dryRun',
    'notification-preferences.set documentIds',
    ...['documentId', 'locationId', 'notificationIds', 'userId'].map((name) => `notifications.delete ${name}`),
    'permissions.remove permissions.resources[0].temporaryOnly',
    'sharing.update dryRun',
    'thread-subscriptions.set annotationIds',
    'threads.delete agentId',
    'threads.delete agentSuggestions',
    'threads.delete agentUrls',
    'threads.delete annotationIds',
    'threads.delete locationIds',
    'threads.delete userIds',
    ...['annotationIds', 'locationIds', 'userIds'].map((name) => `threads.update ${name}`),
    'user-access.revoke dryRun',
    'user-data.delete organizationIds',
    'user-group-users.delete userIds',
    'users.delete documentId',
    'users.delete folderId',
    'workspace-tokens.reset gracePeriodSeconds',
  ])
})

describe('a call that deletes or revokes something', async () => {
  const server = await sharedServer()
  const refusing = await callersFrom(server.client)
  const ofOperation = Object.groupBy(absentValues(), ({ operation }) => operation.name)
  for (const [name, fields = []] of Object.entries(ofOperation))
    it(`${name} treats absent and empty fields as the reference says`, async () => {
      for (const { operation, path, meanings } of fields)
        for (const [value, meaning] of Object.entries(meanings)) {
          const isRefused = meaning.startsWith('refused')
          const caller = isRefused ? refusing[operation.credentials] : await callerOf(server.client, operation)
          const data = exampleWithValue(operation, path, EMPTY_VALUES[value as keyof typeof EMPTY_VALUES])
          const { http, body, text } = await caller.post(operation.path, data)
          const isInvalid = http === 400 && body.error.reason === 'invalid_argument'
          assert.equal(isInvalid, isRefused, `${path.join('.')} ${value}: ${text}`)
        }
    })

  it('refuses null for each field without which it does more', () => {
    const wide = absentValues().filter(({ meanings }) => meanings.absent === 'does more')
    assert.ok(wide.length >= 8)
    for (const { path, meanings } of wide) assert.equal(meanings.null, 'refused', path.join('.'))
  })
})

for (const STRICT_FIELDS of ['true', 'false'])
  describe(`with STRICT_FIELDS=${STRICT_FIELDS}`, async () => {
    const server = await sharedServer({ STRICT_FIELDS })
    for (const operation of OPERATIONS) {
      if (STRICT_FIELDS === 'true')
        it(`${operation.name} takes null for every field that it adds or asks for, and for each that may be absent`, async () => {
          const absent = placesOf(operation).filter(
            ({ path, nullIsAbsent }) =>
              nullIsAbsent && at(operation.example, path) === undefined && at(operation.example, path.slice(0, -1)),
          )
          const data = absent.reduce(
            (example, { path }) => exampleWith({ ...operation, example: example as object }, path, null),
            operation.example as unknown,
          )
          const answer = await (await exampleWorld(server.client, operation)).post(operation, data)
          assert.ok(answer.http === 200 || answer.body.error?.reason === 'mail_server_missing', answer.text)
        })

      for (const path of narrowingIn(operation))
        it(`${operation.name} refuses null for ${written(path)}, without which it does more`, async () => {
          const caller = await callerOf(server.client, operation)
          const answer = await caller.post(operation.path, exampleWith(operation, path, null))
          refusedField(answer, written(path), /must be/)
        })

      if (needsNoData(operation))
        it(`${operation.name} takes no body, {}, and data that is empty or null, but no fields beside data`, async () => {
          const reader = await callerOf(server.client, operation)
          const raw = async (body: string) =>
            (writes(operation) ? await callerOf(server.client, operation) : reader).raw(operation.path, body)
          const plain = await raw('{"data":{}}')
          for (const body of ['', '{}', '{"data":null}']) assert.equal((await raw(body)).http, plain.http, body)
          refusedField(await raw('{"organizationIds":["acme"]}'), 'data', 'data is required')
        })
    }

    describe('of a new data set', () => {
      let key: Client
      beforeEach(async () => {
        key = await server.client.newKey()
      })

      it('a call without a body needs no content type either', async () => {
        const response = await fetch(server.url + getOrganizations.path, { method: 'POST', headers: key.headers })
        assert.equal(response.status, 200)
        const needed = await fetch(server.url + addOrganizations.path, { method: 'POST', headers: key.headers })
        assert.match(await needed.text(), /"message":"data is required"/)
      })

      it('no field of an item is null where it cannot be: null under a name that is refused says nothing', async () => {
        const nothing = {
          accessRole: null,
          expiresAt: null,
          id: null,
          folderId: null,
          disabled: null,
          accessType: null,
        }
        const documents = [{ documentId: 'd', documentName: null, kept: null, ...nothing }]
        await key.call(addDocuments, { organizationId, createOrganization: true, documents } as never)
        assert.deepEqual(await key.call(getDocuments, { organizationId }), [
          { id: 'd', kept: null, disabled: false, accessType: 'public', inheritAccessFromParent: true },
        ] as unknown)
      })

      it('an empty e-mail address or picture is absent, also on updates', async () => {
        const empty = { email: '', photoUrl: '' }
        await key.call(addUsers, { organizationId, users: [{ userId: 'ada', ...empty }] })
        await key.call(generateToken, { userId: 'bob', userProperties: empty })
        assert.deepEqual((await key.call(listProfiles, {})).profiles, [{ userId: 'ada' }, { userId: 'bob' }])
        await key.call(addUsers, { organizationId, users: [{ userId: 'ada', email: 'ada@example.com' }] })
        await key.call(updateUsers, { organizationId, users: [{ userId: 'ada', ...empty }] })
        assert.equal((await key.call(listProfiles, {})).profiles[0]?.email, 'ada@example.com')
        await key.call(updateUsers, { organizationId, users: [{ userId: 'ada', email: null }] })
        assert.deepEqual((await key.call(listProfiles, {})).profiles[0], { userId: 'ada' })
      })

      it('null under a name of metadata of a user is absent in calls that add users, and clears in those that change them', async () => {
        const signIn = (user: object) => key.call(generateToken, { userId: 'ada', userProperties: user })
        const add = (user: object) =>
          key.call(addUsers, { organizationId, createOrganization: true, users: [{ userId: 'ada', ...user }] })
        const email = 'ada@example.com'
        const accept = async (user: object) => {
          await key.call(addInvitation, { organizationId, type: 'org_user', email })
          const { token: authToken } = await signIn({})
          const answer = { organizationId, type: 'org_user' as const, email, status: 'ACCEPTED' as const, authToken }
          await key.call(respondToInvitation, { ...answer, user: { userId: 'ada', ...user } })
        }
        const stored = { userId: 'ada', name: 'Ada', email, team: 'blue' }
        await add({ name: 'Ada', email, team: 'blue', floor: null })
        for (const call of [add, signIn, accept]) {
          await call({ team: null, name: null })
          assert.deepEqual((await key.call(listProfiles, {})).profiles, [stored])
        }
        const { team: _, ...cleared } = stored
        for (const [{ path }, more] of [[updateUsers, { organizationId }] as const, [setProfiles, {}] as const]) {
          await add({ team: 'blue' })
          await key.post(path, { ...more, users: [{ userId: 'ada', team: null }] })
          assert.deepEqual((await key.call(listProfiles, {})).profiles, [cleared])
        }
      })

      it('an empty page token asks for the first page', async () => {
        const documents = [{ documentId: 'a' }, { documentId: 'b' }]
        await key.call(addDocuments, { organizationId, createOrganization: true, documents })
        const { body } = await key.post(getDocuments.path, { organizationId, pageSize: 1, pageToken: '' })
        assert.deepEqual(
          body.result.data.map(({ id }: { id: string }) => id),
          ['a'],
        )
        const { pageToken } = body.result
        assert.equal((await key.call(getDocuments, { organizationId, pageSize: 1, pageToken }))[0]?.id, 'b')
      })

      it('an empty list of resources gives and revokes nothing', async () => {
        const permissions = { resources: [] }
        const resource = { type: 'organization' as const, id: organizationId }
        await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
        const before = await key.call(listGrants, { organizationId })
        await key.call(addPermissions, { user: { userId: 'ada' }, permissions })
        await key.call(removePermissions, { userId: 'ada', permissions })
        await key.call(generateToken, { userId: 'ada', permissions })
        assert.deepEqual(await key.call(listGrants, { organizationId }), before)
      })

      it('an empty list of organizations means none of them', async () => {
        await key.call(addOrganizations, { organizations: [{ organizationId }] })
        await key.call(addUsers, { organizationId, users: [{ userId: 'ada', name: 'Ada' }] })
        const none = { organizationIds: [] }
        assert.deepEqual(await key.call(getOrganizations, none), [])
        assert.deepEqual(await key.call(disableOrganizations, { ...none, disabled: true }), {})
        assert.deepEqual(await key.call(deleteOrganizations, none), {})
        const jobId = await completeErasure(key, { userIds: ['ada'], ...none })
        const { tasksCount, percent } = await key.call(getUserDataDeletion, { jobId })
        assert.deepEqual([tasksCount, percent], [0, 100])
        assert.equal((await key.call(listGrants, { organizationId })).grants.length, 1)
        assert.equal((await key.call(listProfiles, {})).profiles.length, 1)
        assert.equal((await key.call(getOrganizations, {}))[0]?.id, organizationId)
        assert.equal((await key.post(deleteUserData.path, { userIds: [], ...none })).http, 400)
      })

      it('expiresAt with a fraction is rounded up; milliseconds and negative times are refused', async () => {
        const grant = { userId: 'ada', type: 'organization' as const, id: organizationId }
        await key.call(addGrants, { grants: [{ ...grant, expiresAt: 2_000_000_000.01 }] })
        assert.equal((await key.call(listGrants, { organizationId })).grants[0]?.expiresAt, 2_000_000_001)
        for (const expiresAt of [2_000_000_000_000.5, -0.5, -1, '2000000000', true])
          refusedField(await key.post(addGrants.path, { grants: [{ ...grant, expiresAt }] }), 'grants[0].expiresAt')
      })
    })
  })
