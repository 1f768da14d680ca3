/** What each operator of a document filter matches (rules/resources.md#document-filters). */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import {
  countDocuments,
  type DocumentFilter,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
})

const filter = (key: string, operator: DocumentFilter['operator'], value: unknown) => ({ key, operator, value })

/** Returns the ids that match all filters, after checking that documents.count agrees. */
async function matching(...filters: DocumentFilter[]): Promise<string[]> {
  const documents: { id: string }[] = await acme.call(getDocuments, { filters })
  assert.equal((await acme.call(countDocuments, { filters })).count, documents.length)
  return documents.map(({ id }) => id)
}

describe('a document filter', () => {
  it('names a metadata field with or without the prefix `metadata.`', async () => {
    await acme.addDocuments(
      'root',
      { documentId: 'a', status: 'open' },
      { documentId: 'b', 'metadata.status': 'open' },
      { documentId: 'c', metadata: { status: 'open' } },
    )
    for (const key of ['status', 'metadata.status']) assert.deepEqual(await matching(filter(key, '==', 'open')), ['a'])
    assert.deepEqual(await matching(filter('metadata.metadata.status', '==', 'open')), ['b'])
    assert.deepEqual(await matching(filter('metadata', '==', { status: 'open' })), ['c'])
  })

  it('with `!=` or `not-in` matches only documents that have the field', async () => {
    await acme.addDocuments('root', { documentId: 'a', n: 1 }, { documentId: 'b', n: '1' }, { documentId: 'none' })
    assert.deepEqual(await matching(filter('n', '!=', 1)), ['b'])
    assert.deepEqual(await matching(filter('n', 'not-in', [2, 3])), ['a', 'b'])
    assert.deepEqual(await matching(filter('n', 'not-in', [1, '1'])), [])
  })

  it('with `<`, `<=`, `>` or `>=` compares only values of the same type, texts by code point', async () => {
    const values = [-1, 2, 10, '10', '2', 'Z', 'a', 'é', '\u{ffff}', '\u{1f600}', false, true, null, [1], { a: 1 }]
    await acme.addDocuments(
      'root',
      ...values.map((v, index) => ({ documentId: `d${String(index).padStart(2, '0')}`, v })),
    )
    const found = async (operator: DocumentFilter['operator'], value: unknown) =>
      (await matching(filter('v', operator, value))).map((id) => values[Number(id.slice(1))])
    assert.deepEqual(await found('>', 2), [10])
    assert.deepEqual(await found('>=', 2), [2, 10])
    assert.deepEqual(await found('<', 2.5), [-1, 2])
    assert.deepEqual(await found('<=', 'Z'), ['10', '2', 'Z'])
    assert.deepEqual(await found('>', 'a'), ['é', '\u{ffff}', '\u{1f600}'])
    assert.deepEqual(await found('>', '\u{ffff}'), ['\u{1f600}'])
    assert.deepEqual(await found('<', true), [false])
    assert.deepEqual(await found('>=', false), [false, true])
  })

  it('with `array-contains` or `array-contains-any` compares the items of a list', async () => {
    await acme.addDocuments(
      'root',
      { documentId: 'a', tags: ['x', 1, [2], { k: [3, 4] }] },
      { documentId: 'b', tags: [] },
      { documentId: 'c', tags: 'x' },
      { documentId: 'd', tags: { x: 'x' } },
      { documentId: 'e', tags: ['y', null] },
    )
    for (const item of ['x', 1, [2], { k: [3, 4] }])
      assert.deepEqual(await matching(filter('tags', 'array-contains', item)), ['a'], JSON.stringify(item))
    for (const item of ['1', 2, [], { k: [3] }, ['x']])
      assert.deepEqual(await matching(filter('tags', 'array-contains', item)), [], JSON.stringify(item))
    assert.deepEqual(await matching(filter('tags', 'array-contains-any', ['x', null, 'z'])), ['a', 'e'])
  })

  it('compares documentName, createdAt and lastUpdated, which changes with the document', async () => {
    await acme.addTree({ f: 'root' })
    await acme.addDocuments('root', { documentId: 'a', documentName: 'Alpha' }, { documentId: 'b' })
    assert.deepEqual(await matching(filter('documentName', '==', 'Alpha')), ['a'])
    assert.deepEqual(await matching(filter('metadata.documentName', '>', 'A')), ['a'])
    const since = async (key: string, time: number) => await matching(filter(key, '>', time))
    assert.deepEqual(await since('createdAt', Date.now() - 60_000), ['a', 'b'])
    assert.deepEqual(await since('createdAt', Date.now() + 60_000), [])
    let id = 'b'
    const documentIds = [id]
    const changes = [
      () => acme.call(updateDocuments, { documents: [{ documentId: 'b', documentName: 'B' }] }),
      () => acme.call(moveDocuments, { documentIds, folderId: 'f' }),
      () => acme.call(setDocumentAccess, { documentIds, accessType: 'restricted' }),
      () => acme.call(disableDocuments, { documentIds, disabled: true }),
      async () => {
        id = 'c'
        await acme.call(migrateDocument, { documentId: 'b', newDocumentId: id })
        while ((await matching(filter('documentName', '==', 'B')))[0] !== id);
      },
    ]
    for (const change of changes) {
      const { rows } = await server.db.query('select floor(extract(epoch from clock_timestamp()) * 1000) as now')
      await change()
      assert.deepEqual(await since('lastUpdated', Number((rows as { now: string }[])[0]?.now) - 1), [id])
    }
    assert.deepEqual(await matching(filter('createdAt', '!=', 0), filter('lastUpdated', '<=', Date.now() + 60_000)), [
      'a',
      'c',
    ])
  })

  it('is refused for a name that metadata cannot have', async () => {
    const advice: Record<string, RegExp> = {
      id: /name the documents in documentIds/,
      'metadata.folderId': /give the folderId of the call/,
      accessType: /read the documents and compare there/,
      disabled: /"disabled" cannot be metadata/,
      expiresAt: /"expiresAt" cannot be metadata/,
      'metadata.': /must name a field after "metadata\."/,
    }
    for (const operation of [getDocuments, countDocuments])
      for (const [key, message] of Object.entries(advice))
        refusedField(await acme.post(operation, { filters: [filter(key, '==', 1)] }), 'filters[0].key', message)
  })

  it('is refused if the value does not suit the operator', async () => {
    for (const operation of [getDocuments, countDocuments]) {
      const refusal = async (operator: DocumentFilter['operator'], value: unknown, message: string) =>
        refusedField(
          await acme.post(operation, { filters: [filter('x', operator, value)] }),
          'filters[0].value',
          `filters[0].value must be ${message} when operator is "${operator}"`,
        )
      for (const operator of ['<', '<=', '>', '>='] as const)
        for (const value of [null, [1], { a: 1 }]) await refusal(operator, value, 'a number, a text or a boolean')
      for (const operator of ['in', 'not-in', 'array-contains-any'] as const)
        for (const value of [1, [], null]) await refusal(operator, value, 'a list of 1 to 100 values')
    }
  })

  it('scans a limited number of documents for a page, which has a token to continue', async () => {
    const scanned = LIMITS.documentsExaminedPerPageMax
    await server.db.query(
      `insert into resources (organization_key, resource_key, kind, id, metadata, added_at)
       select $1::uuid, gen_random_uuid(), 'document', 'd' || lpad(n::text, 7, '0'), jsonb_build_object('n', n), now()
         from generate_series(1, ${scanned + 5}) n`,
      [organizationKey({ apiKeyId: apiKeyOf(acme.key) as never }, organizationId)],
    )
    const pages = async (n: number[]) => {
      const query = { filters: [filter('n', 'in', n)] }
      const first = (await acme.post(getDocuments, query)).body.result
      const { nextPageToken: pageToken } = first
      const next = (await acme.post(getDocuments, { ...query, pageToken })).body.result
      assert.equal(next.nextPageToken, undefined)
      return [first.data, next.data].map((page) => page.map((document: { n: number }) => document.n))
    }
    assert.deepEqual(await pages([scanned + 5]), [[], [scanned + 5]])
    assert.deepEqual(await pages([1, scanned, scanned + 1]), [[1, scanned], [scanned + 1]])
  })
})
