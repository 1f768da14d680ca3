/** Adding and reading organizations (rules/resources.md#organizations). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { organizationKey, organizationServiceId } from '#tenancy/callers/keys.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})

const add = (...organizations: object[]) => key.post(addOrganizations.path, { organizations })
const get = (data: object = {}) => key.post(getOrganizations.path, data)
const list = async (data: object = {}) => (await get(data)).body.result.data
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)

describe('organizations.add', () => {
  it('returns the service id for each id', async () => {
    const { body } = await add({ organizationId: 'acme', organizationName: 'Acme Inc.' }, { organizationId: 'b' })
    const id = organizationServiceId(organizationKey({ apiKeyId: apiKeyOf(key) as never }, 'acme'))
    assert.equal(body.result.message, 'Organizations added successfully.')
    assert.deepEqual(Object.keys(body.result.data), ['acme', 'b'])
    assert.deepEqual(body.result.data.acme, { success: true, id, message: 'Organization added successfully.' })
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.deepEqual(await list(), [
      { id: 'acme', organizationName: 'Acme Inc.', disabled: false },
      { id: 'b', disabled: false },
    ])
  })

  it('updates the given fields, merges metadata, and keeps the rest', async () => {
    await add({ organizationId: 'acme', organizationName: 'Acme', color: 'red', tags: ['a', { b: null }] })
    await add({ organizationId: 'acme', color: 'blue', size: 3 })
    const merged = {
      color: 'blue',
      tags: ['a', { b: null }],
      size: 3,
      id: 'acme',
      organizationName: 'Acme',
      disabled: false,
    }
    assert.deepEqual(await list(), [merged])
    await add({ organizationId: 'acme', organizationName: 'Acme 2' })
    assert.deepEqual(await list(), [{ ...merged, organizationName: 'Acme 2' }])
  })

  it('disables and enables organizations, with immediate effect on everything in them', async () => {
    const resource = { type: 'document' as const, id: 'd', organizationId: 'x' }
    const reason = async () =>
      (await key.call(checkPermissions, { checks: [{ userId: 'ada', resource }] })).checks[0]?.reason
    const [added] = await eventsWhile(() => add({ organizationId: 'x', disabled: true }))
    assert.deepEqual(added?.after, { organizationName: null, disabled: true, metadata: {} })
    await key.call(addDocuments, { organizationId: 'x', documents: [{ documentId: 'd' }] })
    assert.equal(await reason(), 'disabled')
    await add({ organizationId: 'x', color: 'red' })
    assert.equal(await reason(), 'disabled')
    const events = await eventsWhile(() => add({ organizationId: 'x', organizationName: 'X', disabled: false }))
    assert.equal(await reason(), 'access_type')
    assert.deepEqual(events.map(({ type, before, after }) => [type, before, after]).slice(1), [
      ['organization.enabled', { disabled: true }, { disabled: false }],
    ])
    assert.equal(events[0]?.type, 'organization.updated')
    assert.deepEqual(await eventsWhile(() => add({ organizationId: 'x', disabled: false })), [])
    assert.deepEqual(
      (await eventsWhile(() => add({ organizationId: 'x', disabled: true }))).map(({ type }) => type),
      ['organization.disabled'],
    )
  })

  it('lets the last of two items with one id win', async () => {
    const { body } = await add(
      { organizationId: 'x', organizationName: 'first' },
      { organizationId: 'x', organizationName: 'last' },
    )
    assert.deepEqual(Object.keys(body.result.data), ['x'])
    assert.deepEqual(await list(), [{ id: 'x', organizationName: 'last', disabled: false }])
  })

  it('accepts 1,000 items in a call', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `o${String(index).padStart(4, '0')}`)
    const { http, body } = await add(...ids.map((organizationId) => ({ organizationId })))
    assert.equal(http, 200)
    assert.deepEqual(Object.keys(body.result.data), ids)
    assert.deepEqual(
      (await list()).map(({ id }: { id: string }) => id),
      ids,
    )
  })

  it('accepts any valid id, and distinguishes ids byte by byte', async () => {
    const ids = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '0',
      'Acme',
      'acme',
      'a b',
      'é',
      'e\u0301',
      '😀',
      '😀'.repeat(256),
      "'; drop table organizations; --",
      '%s{}$1\\',
      '../../etc/passwd',
      'null',
    ]
    const { body } = await add(...ids.map((organizationId) => ({ organizationId, organizationName: 'n' })))
    assert.equal(Object.keys(body.result.data).length, ids.length)
    for (const id of ids) assert.equal(Object.getOwnPropertyDescriptor(body.result.data, id)?.value.success, true, id)
    const found = await list({ organizationIds: ids })
    assert.deepEqual(
      found.map(({ id }: { id: string }) => id),
      ids,
    )
    const listed = (await list()).map(({ id }: { id: string }) => id)
    assert.deepEqual(
      listed,
      ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
  })

  describe('metadata', () => {
    it('has neither the name of a field that protects, nor one similar to it, nor one of the record', async () => {
      for (const name of ['id', 'accessType', 'access_role', 'expires_at', 'expiresAtt', 'Disabled'])
        refusedField(
          await add({ organizationId: 'x', [name]: 1 }),
          `organizations[0].${name}`,
          /is refused|did you mean/,
        )
      assert.deepEqual(await list(), [])
    })

    it('has at most 100 fields, 64 KiB and 20 levels', async () => {
      const fields = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
      const nested = (levels: number): object => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) })
      assert.equal((await add({ organizationId: 'x', ...fields(100) })).http, 200)
      refusedField(await add({ organizationId: 'x', ...fields(101) }), 'organizations[0]', /100 metadata fields/)
      assert.equal((await add({ organizationId: 'x', ...nested(20) })).http, 200)
      refusedField(await add({ organizationId: 'x', ...nested(21) }), 'organizations[0]', /20 levels/)
      refusedField(await add({ organizationId: 'x', text: 'é'.repeat(33_000) }), 'organizations[0]', /65536 bytes/)
    })

    it('takes every other name, also one that resembles a field of the organization', async () => {
      const own = {
        organisationName: 'X',
        ID: 7,
        folderId: 'f',
        constructor: 'c',
        permissions: ['read'],
        role: 'owner',
      }
      assert.equal((await add({ organizationId: 'x', ...own })).http, 200)
      assert.deepEqual(await list(), [{ ...own, id: 'x', disabled: false }])
    })

    it('survives nesting that would exhaust a stack', async () => {
      const deep = `${'['.repeat(200_000)}"\\u0000"${']'.repeat(200_000)}`
      for (const value of [deep, deep.replace('"\\u0000"', '1')])
        refused(
          await key.raw(addOrganizations.path, `{"data":{"organizations":[{"organizationId":"x","a":${value}}]}}`),
          'INVALID_ARGUMENT',
        )
    })
  })

  describe('events', () => {
    it('have one entry for each change, with before and after, and none for changes without effect', async () => {
      const [added, ...more] = await eventsWhile(() =>
        add({ organizationId: 'acme', organizationName: 'A', color: 'red' }),
      )
      assert.equal(more.length, 0)
      assert.deepEqual([added?.type, added?.organizationId], ['organization.added', 'acme'])
      assert.deepEqual([added?.before, added?.after], [null, { organizationName: 'A', metadata: { color: 'red' } }])
      assert.deepEqual(added?.actor, { apiKey: apiKeyOf(key), token: 'Default Auth Token', address: '127.0.0.1' })
      const change = () => add({ organizationId: 'acme', color: 'blue' })
      const [updated, ...others] = await eventsWhile(change)
      assert.equal(others.length, 0)
      assert.equal(updated?.type, 'organization.updated')
      assert.deepEqual(updated?.before, { organizationName: 'A', metadata: { color: 'red' } })
      assert.deepEqual(updated?.after, { organizationName: 'A', metadata: { color: 'blue' } })
      assert.deepEqual(await eventsWhile(change), [])
      assert.deepEqual(await eventsWhile(() => add({ organizationId: 'acme' })), [])
    })
  })
})

describe('organizations.get', () => {
  it('returns the named ones once, in request order, and unknown ones as failed items', async () => {
    await add({ organizationId: 'a' }, { organizationId: 'b' })
    assert.deepEqual(await list({ organizationIds: ['b', 'nope', 'a', 'b'] }), [
      { id: 'b', disabled: false },
      { success: false, id: 'nope', message: 'The organization does not exist.', code: 'not-found', retryable: false },
      { id: 'a', disabled: false },
    ])
  })

  it('lists organizations that a grant created, and none that a refused call named', async () => {
    const user = { userId: 'ada' }
    await key.call(addPermissions, { user, permissions: { resources: [{ type: 'organization', id: 'granted' }] } })
    refused(
      await key.post(addDocuments.path, { organizationId: 'ghost', documents: [{ documentId: 'd' }] }),
      'NOT_FOUND',
    )
    assert.deepEqual(await list(), [{ id: 'granted', disabled: false }])
    assert.equal((await list({ organizationIds: ['ghost'] }))[0].code, 'not-found')
  })

  describe('pages', () => {
    const ids = ['', 'A', 'Z', 'a', 'a-', 'a1', 'b', 'z', 'é', '😀'].map((id) => `o${id}`)
    beforeEach(() => add(...ids.map((organizationId) => ({ organizationId }))))

    it('return the same set with any size, and no token after the last', async () => {
      for (const pageSize of [1, 2, 3, 9, 10, 11, 1_000]) {
        const seen: string[] = []
        for await (const { data } of pagesOf((pageToken) => get({ pageSize, pageToken }))) {
          seen.push(...data.map(({ id }: { id: string }) => id))
          assert.ok(data.length > 0 && data.length <= pageSize)
        }
        assert.deepEqual(seen, ids)
      }
    })

    it('refuse a token with any character changed, added or removed', async () => {
      const { nextPageToken } = (await get({ pageSize: 3 })).body.result
      assert.equal((await get({ pageSize: 2, pageToken: nextPageToken })).http, 200)
      const flip = (at: number) =>
        nextPageToken.slice(0, at) + (nextPageToken[at] === 'A' ? 'B' : 'A') + nextPageToken.slice(at + 1)
      const tampered = [
        ...Array.from({ length: nextPageToken.length }, (_, at) => flip(at)),
        nextPageToken.slice(1),
        nextPageToken.slice(0, -1),
        `${nextPageToken}A`,
        `${nextPageToken}=`,
        `${nextPageToken}!`,
        `*${nextPageToken}`,
        Buffer.from(nextPageToken, 'base64url').toString('base64').replace(/=*$/, '=='),
        'nonsense',
      ]
      for (const pageToken of tampered) {
        const answer = await get({ pageSize: 3, pageToken })
        refusedField(answer, 'pageToken')
        assert.equal(answer.body.error.reason, 'page_token_invalid')
      }
    })
  })
})
