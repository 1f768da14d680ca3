/** Granting and revoking roles (rules/access.md#granting, rules/access.md#permissions-get). */
import assert from 'node:assert/strict'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await startServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterAll(() => server.clock.set(null))

const document = (id: string, more: object = {}) => ({ type: 'document', id, organizationId, ...more })
const organization = (more: object = {}) => ({ type: 'organization', id: organizationId, ...more })
const post = (path: string, user: object, resources: object[]) =>
  key.post(path, { ...user, permissions: { resources } })
const add = (...resources: object[]) => post(addPermissions.path, { user: { userId: 'ada' } }, resources)
const remove = (...resources: object[]) => post(removePermissions.path, { userId: 'ada' }, resources)
const get = (data: object = {}) => key.post(getPermissions.path, { organizationId, userIds: ['ada'], ...data })
const entry = async (id = 'd') => {
  const answer = await get({ documentIds: [id], skipResourceExistenceValidation: true })
  return answer.body.result.data.ada.documents[id]
}
const membership = async () => (await get()).body.result.data.ada.organization[organizationId]
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)
const at = (seconds: number) => server.clock.set(new Date(seconds * 1000))
const grantsOf = async (id: string) => {
  const { grants } = await key.call(listGrants, { organizationId })
  return grants.filter((grant) => grant.id === id).map(({ userId, type, id, ...grant }) => grant)
}
const granted = { via: { type: 'document', id: 'd', inherited: false }, accessType: 'public', reason: 'grant' }

describe('permissions.add', () => {
  it('responds without data', async () => {
    const { http, body } = await add(document('d'))
    assert.equal(http, 200)
    assert.equal(body.result.message, 'Permissions added successfully.')
    assert.equal('data' in body.result, false)
  })

  it('grants several resources of several organizations in one call', async () => {
    const { http } = await add(
      organization({ accessRole: 'viewer' }),
      { type: 'folder', id: 'f', organizationId },
      document('d', { accessRole: 'viewer' }),
      { type: 'document', id: 'd', organizationId: 'other' },
    )
    assert.equal(http, 200)
    assert.equal((await membership()).accessRole, 'viewer')
    assert.equal((await entry()).accessRole, 'viewer')
    const other = await get({ organizationId: 'other', documentIds: ['d'] })
    assert.equal(other.body.result.data.ada.documents.d.accessRole, 'editor')
  })

  it('grants editor by default, and writes over a grant of the same kind', async () => {
    at(1_000)
    await add(document('d', { expiresAt: 2_000 }))
    assert.deepEqual(await entry(), { accessRole: 'editor', ...granted, expiresAt: 2_000 })
    await add(document('d', { accessRole: 'viewer', expiresAt: 3_000 }))
    assert.deepEqual(await entry(), { accessRole: 'viewer', ...granted, expiresAt: 3_000 })
    await add(document('d'))
    assert.deepEqual(await entry(), { accessRole: 'editor', ...granted })
    await add(document('d', { accessRole: 'viewer' }))
    assert.deepEqual(await entry(), { accessRole: 'viewer', ...granted })
    server.clock.set(null)
  })

  it('gives a temporary role in addition to a standing one, which applies again afterwards', async () => {
    at(1_000)
    await add(document('d', { accessRole: 'viewer' }), document('d', { accessRole: 'editor', expiresAt: 2_000 }))
    assert.deepEqual(await entry(), { accessRole: 'editor', ...granted, expiresAt: 2_000 })
    at(2_000)
    assert.deepEqual(await entry(), { accessRole: 'viewer', ...granted })
    server.clock.set(null)
  })

  it('does not let a weaker temporary role narrow a standing one', async () => {
    at(1_000)
    await add(document('d'))
    await add(document('d', { accessRole: 'viewer', expiresAt: 2_000 }))
    assert.deepEqual(await entry(), { accessRole: 'editor', ...granted })
    at(2_000)
    assert.deepEqual(await entry(), { accessRole: 'editor', ...granted })
    server.clock.set(null)
  })

  it('makes a grant the only one with replaceExisting: a standing one gets an end, a temporary one loses its own', async () => {
    at(1_000)
    await add(document('d'))
    await add(document('d', { accessRole: 'viewer', expiresAt: 2_000, replaceExisting: true }))
    assert.deepEqual(await grantsOf('d'), [{ accessRole: 'viewer', expiresAt: 2_000 }])
    await add(document('d', { replaceExisting: true }))
    assert.deepEqual(await grantsOf('d'), [{ accessRole: 'editor' }])
    server.clock.set(null)
  })

  it('applies the entries for one resource in their order', async () => {
    at(1_000)
    const temporary = document('d', { accessRole: 'viewer', expiresAt: 2_000 })
    await add(temporary, document('d', { replaceExisting: true }))
    assert.deepEqual(await grantsOf('d'), [{ accessRole: 'editor' }])
    await add(document('d', { replaceExisting: true }), temporary)
    assert.deepEqual(await grantsOf('d'), [{ accessRole: 'editor' }, { accessRole: 'viewer', expiresAt: 2_000 }])
    server.clock.set(null)
  })

  it('lets the last of two entries for one resource win', async () => {
    await add(document('d', { accessRole: 'viewer' }), document('d', { accessRole: 'editor' }))
    assert.equal((await entry()).accessRole, 'editor')
    await add(organization({ organizationId, accessRole: 'editor' }), organization({ accessRole: 'viewer' }))
    assert.equal((await membership()).accessRole, 'viewer')
  })

  it('accepts 1,000 resources in a call', async () => {
    const resources = Array.from({ length: 1_000 }, (_, index) => document(`d${index}`))
    assert.equal((await add(...resources)).http, 200)
    const documentIds = resources.map(({ id }) => id)
    const { documents } = (await get({ documentIds })).body.result.data.ada
    assert.ok(documentIds.every((id) => documents[id].reason === 'grant'))
  })

  it('declares missing resources: their grants take effect at once, but reads do not return them', async () => {
    await add(document('d'), { type: 'folder', id: 'f', organizationId })
    assert.equal((await entry()).reason, 'grant')
    assert.deepEqual(
      (await key.call(getOrganizations, {})).map(({ id }) => id),
      [organizationId],
    )
    assert.deepEqual(
      await key.call(addDocuments, { organizationId, documents: [{ documentId: 'd' }] }).then(({ d }) => d?.success),
      true,
    )
  })

  describe('expiry', () => {
    it('ends access exactly at that second, not earlier', async () => {
      await key.call(addOrganizations, { organizations: [{ organizationId }] })
      await key.call(addDocuments, { organizationId, documents: [{ documentId: 'd', accessType: 'restricted' }] })
      await add(document('d', { accessRole: 'viewer', expiresAt: 2_000 }))
      server.clock.set(new Date(1_999_999))
      assert.equal((await entry()).accessRole, 'viewer')
      at(2_000)
      const over = await entry()
      assert.deepEqual(
        [over.reason, over.errorCode, over.accessRole],
        ['grant_expired', 'permission_denied', undefined],
      )
      server.clock.set(null)
    })

    it('lets a wider grant take effect again', async () => {
      await add(organization({ accessRole: 'viewer' }), document('d', { accessRole: 'editor', expiresAt: 2_000 }))
      at(1_999)
      assert.equal((await entry()).accessRole, 'editor')
      at(2_000)
      const { accessRole, via } = await entry()
      assert.deepEqual([accessRole, via], ['viewer', { type: 'organization', id: organizationId, inherited: true }])
      server.clock.set(null)
    })

    it('may be in the past: the grant is created expired', async () => {
      assert.equal((await add(organization({ expiresAt: 0 }))).http, 200)
      assert.equal((await membership()).reason, 'grant_expired')
    })

    it('is accepted up to the year 5138', async () => {
      assert.equal((await add(document('d', { expiresAt: 99_999_999_999 }))).http, 200)
      assert.equal((await entry()).expiresAt, 99_999_999_999)
    })

    it('is refused in milliseconds, with a message that says so, and if it is negative or no number', async () => {
      const field = 'permissions.resources[0].expiresAt'
      for (const expiresAt of [100_000_000_000, 1_900_000_000_000])
        refusedField(
          await add(document('d', { expiresAt })),
          field,
          `${field} must be in seconds; this value looks like milliseconds`,
        )
      for (const expiresAt of [-1, -1.5, '2000000000', true, {}])
        refusedField(await add(document('d', { expiresAt })), field)
      const overflow = JSON.stringify({
        data: { user: { userId: 'ada' }, permissions: { resources: [document('d', { expiresAt: 7 })] } },
      })
      refusedField(await key.raw(addPermissions.path, overflow.replace(':7', ':1e999')), field)
    })
  })

  it('refuses a folder named root, which is the top level of the organization', async () => {
    refusedField(await add({ type: 'folder', id: 'root', organizationId }), 'permissions.resources[0].id')
  })

  describe('organizationId', () => {
    it('is required for folders and documents, with the message of the contract', async () => {
      for (const type of ['document', 'folder'])
        refusedField(
          await add(organization(), { type, id: 'x' }),
          'permissions.resources[1].organizationId',
          `permissions.resources[1].organizationId is required when type is "${type}"`,
        )
      assert.deepEqual(await key.call(getOrganizations, {}), [])
    })

    it('must equal the id of an organization, if given', async () => {
      assert.equal((await add(organization({ organizationId }))).http, 200)
      refusedField(await add(organization({ organizationId: 'other' })), 'permissions.resources[0].organizationId')
    })
  })

  describe('with requireKnownResources', () => {
    beforeEach(async () => {
      key = await server.client.newKey({ requireKnownResources: true })
    })

    it('refuses resources that were not added, and grants nothing', async () => {
      await key.call(addOrganizations, { organizations: [{ organizationId }] })
      await key.call(addDocuments, { organizationId, documents: [{ documentId: 'd' }] })
      const answer = await add(document('d'), document('nope'), { type: 'folder', id: 'f', organizationId })
      const error = refused(answer, 'INVALID_ARGUMENT')
      assert.equal(error.reason, 'resource_does_not_exist')
      assert.deepEqual(
        error.details.map(({ field }: { field: string }) => field),
        ['permissions.resources[1]', 'permissions.resources[2]'],
      )
      assert.equal((await entry()).reason, 'access_type')
      assert.equal((await add(document('d'), organization())).http, 200)
      assert.equal((await entry()).reason, 'grant')
    })

    it('creates no organization', async () => {
      for (const resource of [organization(), document('d')])
        assert.equal(refused(await add(resource), 'INVALID_ARGUMENT').reason, 'resource_does_not_exist')
      assert.deepEqual(await key.call(getOrganizations, {}), [])
    })
  })

  describe('events', () => {
    it('have one entry for each changed grant, with before and after', async () => {
      const first = () => add(document('d', { accessRole: 'viewer', expiresAt: 2_000_000_000 }))
      const [opened, event, ...more] = await eventsWhile(first)
      assert.equal(more.length, 0)
      assert.equal(opened?.type, 'organization.added')
      assert.deepEqual(
        [event?.type, event?.resourceKind, event?.resourceId, event?.userId],
        ['permission.added', 'document', 'd', 'ada'],
      )
      assert.deepEqual([event?.before, event?.after], [null, { accessRole: 'viewer', expiresAt: 2_000_000_000 }])
      assert.deepEqual(event?.actor, { apiKey: apiKeyOf(key), token: 'Default Auth Token', address: '127.0.0.1' })
      assert.deepEqual(await eventsWhile(first), [])
      const [beside] = await eventsWhile(() => add(document('d')))
      assert.deepEqual([beside?.before, beside?.after], [null, { accessRole: 'editor', expiresAt: null }])
      const [changed, ...others] = await eventsWhile(() => add(document('d', { expiresAt: 2_000_000_000 })))
      assert.deepEqual(changed?.before, { accessRole: 'viewer', expiresAt: 2_000_000_000 })
      assert.deepEqual(changed?.after, { accessRole: 'editor', expiresAt: 2_000_000_000 })
      assert.equal(others.length, 0)
    })

    it('say which grant was revoked by replaceExisting', async () => {
      await add(document('d', { accessRole: 'viewer' }))
      const call = () => add(document('d', { expiresAt: 2_000_000_000, replaceExisting: true }))
      assert.deepEqual(
        (await eventsWhile(call)).map(({ type, before, after }) => [type, before, after]),
        [
          ['permission.removed', { accessRole: 'viewer', expiresAt: null }, null],
          ['permission.added', null, { accessRole: 'editor', expiresAt: 2_000_000_000 }],
        ],
      )
    })

    it('are not written for a refused call', async () => {
      const call = () => add(document('d'), { type: 'document', id: 'x' })
      assert.deepEqual(await eventsWhile(call), [])
    })
  })
})

describe('permissions.remove', () => {
  it('revokes only the named grants', async () => {
    await add(organization({ accessRole: 'viewer' }), document('d'), document('e'))
    const { body } = await remove(document('d'))
    assert.deepEqual(body, { result: { status: 'success', message: 'Permissions removed successfully.' } })
    assert.deepEqual([(await entry('d')).accessRole, (await entry('e')).accessRole], ['viewer', 'editor'])
  })

  it('revokes both grants, or with temporaryOnly the temporary one', async () => {
    await add(document('d'), document('d', { expiresAt: 2_000_000_000 }))
    await remove({ ...document('d'), temporaryOnly: true })
    assert.deepEqual(await grantsOf('d'), [{ accessRole: 'editor' }])
    await remove({ ...document('d'), temporaryOnly: true })
    assert.deepEqual(await grantsOf('d'), [{ accessRole: 'editor' }])
    await add(document('d', { expiresAt: 2_000_000_000 }))
    await remove(document('d'))
    assert.deepEqual(await grantsOf('d'), [])
    await add(document('d', { expiresAt: 2_000_000_000 }))
    await remove({ ...document('d'), temporaryOnly: true })
    assert.deepEqual(await grantsOf('d'), [])
  })

  it('succeeds for missing grants, resources and organizations', async () => {
    assert.equal((await remove(document('d'), { type: 'organization', id: 'nope' })).http, 200)
    assert.deepEqual(await key.call(getOrganizations, {}), [])
  })

  it('accepts the user as userId, user.userId, or both if they are equal', async () => {
    const resources = [organization()]
    for (const user of [{ userId: 'ada' }, { user: { userId: 'ada' } }, { userId: 'ada', user: { userId: 'ada' } }]) {
      await add(organization())
      assert.equal((await post(removePermissions.path, user, resources)).http, 200)
      assert.equal((await membership()).reason, 'no_grant')
    }
    refusedField(await post(removePermissions.path, {}, resources), 'userId', 'userId or group is required')
    refusedField(await post(removePermissions.path, { userId: 'a', user: { userId: 'b' } }, resources), 'user.userId')
  })

  it('requires the organizationId of folders and documents', async () => {
    refusedField(await remove({ type: 'folder', id: 'f' }), 'permissions.resources[0].organizationId')
  })

  it('writes an event only for each grant that existed', async () => {
    await add(document('d', { accessRole: 'viewer' }))
    const call = () => remove(document('d'), document('e'), document('d'))
    const [event, ...more] = await eventsWhile(call)
    assert.equal(more.length, 0)
    assert.deepEqual([event?.type, event?.resourceId, event?.userId], ['permission.removed', 'd', 'ada'])
    assert.deepEqual([event?.before, event?.after], [{ accessRole: 'viewer', expiresAt: null }, null])
    assert.deepEqual(await eventsWhile(call), [])
  })
})
