/**
 * Updating, disabling and deleting organizations (rules/resources.md#disabling, rules/resources.md#organizations,
 * rules/resources.md#unknown-ids).
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { failed } from '#contract/core/envelope.ts'
import { countDocuments, getDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { getFolders, updateFolders } from '#contract/resources/folders.ts'
import { getMigrationStatus } from '#contract/resources/migrations.ts'
import {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/resources/organizations.ts'
import { organizationKey, organizationServiceId } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})
afterEach(() => acme.assertStructure())

const post = (operation: { path: string }, data: object, { key } = acme) => key.post(operation.path, data)
const results = async (operation: { path: string }, data: object, on = acme) =>
  (await post(operation, data, on)).body.result.data
const add = (...organizations: object[]) => results(addOrganizations, { organizations })
const update = (...organizations: object[]) => results(updateOrganizations, { organizations })
const disable = (disabled: boolean, ...organizationIds: string[]) =>
  results(disableOrganizations, { organizationIds, disabled })
const remove = (...organizationIds: string[]) => results(deleteOrganizations, { organizationIds })
const records = (on = acme) => results(getOrganizations, {}, on)
const serviceId = (id: string, { key } = acme) =>
  organizationServiceId(organizationKey({ apiKeyId: apiKeyOf(key) as never }, id))
const done = (id: string, what: string) => ({
  success: true,
  id: serviceId(id),
  message: `Organization ${what} successfully.`,
})
const notFound = (id: string) => failed(id, 'not-found', 'The organization does not exist.')

const migrate = (documentId: string, newDocumentId: string) =>
  completeMigration(acme.key, { organizationId, documentId, newDocumentId })

const CHANGES = [
  [
    updateOrganizations,
    'updated',
    (ids: readonly string[]) => ({ organizations: ids.map((organizationId) => ({ organizationId, x: 1 })) }),
  ],
  [disableOrganizations, 'disabled', (organizationIds: readonly string[]) => ({ organizationIds, disabled: true })],
  [deleteOrganizations, 'deleted', (organizationIds: readonly string[]) => ({ organizationIds })],
] as const

for (const [operation, what, of] of CHANGES)
  describe(operation.name, () => {
    it('fails items that are missing or deleted, creates none, and changes the others', async () => {
      await add({ organizationId: 'gone' })
      await remove('gone')
      const { result } = (await post(operation, of(['nope', 'acme', 'gone', 'acme']))).body
      assert.equal(result.status, 'success')
      assert.deepEqual(result.data, { nope: notFound('nope'), acme: done('acme', what), gone: notFound('gone') })
      const left = (await records()).map(({ id }: { id: string }) => id)
      assert.deepEqual(left, operation === deleteOrganizations ? [] : ['acme'])
    })

    it('has the same effect with many items as with one call for each', async () => {
      const ids = ['b', 'nope', 'acme', 'c']
      const outcomes: unknown[] = []
      for (const calls of [[ids], ids.map((id) => [id])]) {
        const on = await newAcme(server)
        await post(
          addOrganizations,
          { organizations: ['b', 'c', 'left'].map((organizationId) => ({ organizationId })) },
          on,
        )
        const items = {}
        const events = await on.events(async () => {
          for (const call of calls) Object.assign(items, await results(operation, of(call), on))
        })
        const given = new RegExp(ids.map((id) => serviceId(id, on)).join('|'), 'g')
        const seen = JSON.stringify([items, await records(on), events.length]).replace(given, 'given')
        outcomes.push(JSON.parse(seen))
      }
      assert.deepEqual(outcomes[0], outcomes[1])
    })

    it('writes nothing for changes without effect', async () => {
      const call = () => post(operation, of(['acme', 'nope']))
      assert.equal((await acme.events(call)).length, 1)
      assert.deepEqual(await acme.events(call), [])
    })
  })

describe('organizations.update', () => {
  it('merges name and metadata: absent fields are kept, null clears, other values replace', async () => {
    await add({ organizationId: 'acme', organizationName: 'Acme', color: 'red', inner: { x: 1, y: 2 } })
    await update({ organizationId: 'acme', color: null, inner: { x: null }, size: 3 })
    const merged = { inner: { x: null }, size: 3, id: 'acme', disabled: false }
    assert.deepEqual(await records(), [{ ...merged, organizationName: 'Acme' }])
    await update({ organizationId: 'acme', organizationName: null })
    assert.deepEqual(await records(), [merged])
  })

  it('lets the last of two items with one id win', async () => {
    await update({ organizationId: 'acme', lost: 1 }, { organizationId: 'acme', kept: 1 })
    assert.deepEqual(await records(), [{ kept: 1, id: 'acme', disabled: false }])
  })

  it('refuses fields that have an operation of their own, and near spellings of protecting fields', async () => {
    for (const name of ['disabled', 'Disabled', 'accessType', 'id'])
      refusedField(
        await post(updateOrganizations, { organizations: [{ organizationId: 'acme', [name]: 1 }] }),
        `organizations[0].${name}`,
      )
  })

  it('fails an item whose metadata would exceed the limits, and changes the others', async () => {
    const big = 'x'.repeat(40_000)
    await add({ organizationId: 'acme', first: big }, { organizationId: 'b' })
    const answer = await update(
      { organizationId: 'acme', second: big, organizationName: 'lost' },
      { organizationId: 'b', x: 1 },
    )
    assert.deepEqual(
      answer.acme,
      failed('acme', 'invalid-argument', 'The metadata of the organization would exceed the limits.'),
    )
    assert.deepEqual(answer.b, done('b', 'updated'))
    assert.deepEqual(await records(), [
      { first: big, id: 'acme', disabled: false },
      { x: 1, id: 'b', disabled: false },
    ])
    assert.deepEqual(await update({ organizationId: 'acme', first: null, second: big }), {
      acme: done('acme', 'updated'),
    })
  })

  it('writes one event with the values before and after', async () => {
    await add({ organizationId: 'acme', organizationName: 'A', x: 1 })
    const before = { organizationName: 'A', metadata: { x: 1 } }
    const after = { organizationName: 'B', metadata: {} }
    const call = () => update({ organizationId: 'acme', organizationName: 'B', x: null })
    assert.deepEqual(await acme.events(call), [{ type: 'organization.updated', id: null, before, after }])
  })
})

describe('organizations.disable', () => {
  const answer = async () => {
    const asked = { userIds: ['ada'], folderIds: ['f'], documentIds: ['d'] }
    const { organization, folders, documents } = (await acme.call(getPermissions, asked)).ada
    return [organization.acme, folders.f, documents.d].map(({ reason, errorCode }) => [reason, errorCode])
  }
  const denied = ['disabled', 'permission_denied']
  const granted = ['grant', undefined]

  it('denies every user access to everything inside, while management calls still succeed', async () => {
    await acme.addTree({ f: 'root' })
    await acme.addDocuments('f', { documentId: 'd', accessType: 'public' })
    await acme.grant('organization', 'acme', 'ada')
    assert.deepEqual(await answer(), [granted, granted, ['access_type', undefined]])
    await disable(true, 'acme')
    assert.deepEqual(await answer(), [denied, denied, denied])
    assert.deepEqual(await records(), [{ id: 'acme', disabled: true }])
    await acme.grant('document', 'd', 'ada')
    await acme.addDocuments('f', { documentId: 'new' })
    await acme.call(updateFolders, { folders: [{ folderId: 'f', folderName: 'F' }] })
    await acme.call(updateDocuments, { documents: [{ documentId: 'd', x: 1 }] })
    await update({ organizationId: 'acme', organizationName: 'Acme' })
    assert.deepEqual(await acme.call(countDocuments), { count: 2 })
    assert.deepEqual(await answer(), [denied, denied, denied])
    assert.deepEqual(await disable(false, 'acme'), { acme: done('acme', 'enabled') })
    assert.deepEqual(await answer(), [granted, granted, granted])
    assert.deepEqual(await records(), [{ id: 'acme', organizationName: 'Acme', disabled: false }])
  })

  it('writes an event for disabling and one for enabling', async () => {
    for (const disabled of [true, false])
      assert.deepEqual(await acme.events(() => disable(disabled, 'acme')), [
        {
          type: disabled ? 'organization.disabled' : 'organization.enabled',
          id: null,
          before: { disabled: !disabled },
          after: { disabled },
        },
      ])
  })
})

describe('organizations.delete', () => {
  async function fill(): Promise<string> {
    await add({ organizationId: 'acme', organizationName: 'Acme', x: 1 })
    await acme.addTree({ f: ['root', 'restricted'], g: 'f' })
    await acme.addDocuments('g', { documentId: 'old', accessType: 'restricted' })
    await acme.addDocuments('root', { documentId: 'top' })
    await acme.grant('organization', 'acme', 'ada', 'bob')
    for (const [type, id] of [
      ['folder', 'f'],
      ['document', 'old'],
      ['document', 'declared'],
    ] as const)
      await acme.grant(type, id, 'ada')
    return migrate('old', 'd')
  }

  it('deletes everything inside; added again under the same id, the organization is empty', async () => {
    const migrationId = await fill()
    await disable(true, 'acme')
    assert.deepEqual(await remove('acme'), { acme: done('acme', 'deleted') })
    assert.deepEqual(await records(), [])
    for (const operation of [getFolders, getDocuments, countDocuments])
      assert.equal(refused(await acme.post(operation), 'NOT_FOUND').reason, 'organization_does_not_exist')
    await acme.assertStructure()
    await add({ organizationId: 'acme' })
    assert.deepEqual(await records(), [{ id: 'acme', disabled: false }])
    assert.deepEqual([await acme.call(getFolders), await acme.call(getDocuments)], [[], []])
    const missing = (id: string) => failed(id, 'not-found', 'The document does not exist.')
    assert.deepEqual(await acme.call(getDocuments, { documentIds: ['old', 'd'] }), [missing('old'), missing('d')])
    refused(await acme.post(getMigrationStatus, { migrationId }), 'NOT_FOUND')
    await acme.addTree({ f: ['root', 'restricted'] })
    await acme.addDocuments('f', { documentId: 'd' })
    assert.deepEqual(await acme.reasons('folder', 'ada', 'f'), ['no_grant'])
    assert.deepEqual(await acme.reasons('document', 'ada', 'd', 'old', 'declared'), [
      'no_grant',
      'does_not_exist',
      'does_not_exist',
    ])
  })

  it('denies its users at once; the next grant creates the organization again', async () => {
    await fill()
    await remove('acme')
    assert.deepEqual(await acme.reasons('document', 'ada', 'd', 'top'), ['does_not_exist', 'does_not_exist'])
    await acme.grant('document', 'd', 'ada')
    assert.deepEqual(await acme.reasons('document', 'ada', 'd', 'top'), ['grant', 'does_not_exist'])
    assert.deepEqual(await records(), [{ id: 'acme', disabled: false }])
  })

  it('does not change other organizations', async () => {
    await add({ organizationId: 'other' })
    await acme.key.post('/v2/organizations/documents/add', {
      organizationId: 'other',
      documents: [{ documentId: 'd' }],
    })
    await fill()
    await remove('acme')
    assert.deepEqual(await acme.call(countDocuments, { organizationId: 'other' }), { count: 1 })
  })

  it('writes one event with counts, and the sequence of its events continues', async () => {
    await fill()
    const before = { organizationName: 'Acme', folders: 2, documents: 3, permissions: 5 }
    assert.deepEqual(await acme.events(() => remove('acme')), [
      { type: 'organization.deleted', id: null, before, after: null },
    ])
    await add({ organizationId: 'acme' })
    const { rows } = await server.db.query(
      'select sequence::int as sequence, type from events where api_key_id = $1 and organization_id = $2 order by sequence',
      [apiKeyOf(acme.key), 'acme'],
    )
    const events = rows as { sequence: number; type: string }[]
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    )
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ['organization.deleted', 'organization.added'],
    )
  })
})
