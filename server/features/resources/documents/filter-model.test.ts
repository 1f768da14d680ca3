/** Random document filters on random documents, compared with a model without SQL (rules/resources.md#document-filters). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { countDocuments, type DocumentFilter, getDocuments } from '#contract/resources/documents.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { pagesOf } from '#testing/client.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { ROOT } from '../../../../scripts/root.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'

/** A server with the index that the guide tells operators to create. */
async function startIndexedServer() {
  const indexed = await startServer()
  const guide = readFileSync(path.join(ROOT, 'docs/guides/scale.md'), 'utf8')
  const [, sql = ''] = /```sql\n(create index[^`]+)```/.exec(guide) ?? []
  await indexed.db.query(sql)
  return indexed
}

const scalar = fc.constantFrom(0, 1, 1.5, -2, 10, '', '1', 'a', 'B', 'é', '\u{ffee}', '\u{1f600}', true, false, null)
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ a: scalar }),
  fc.array(fc.array(scalar, { maxLength: 1 }), { maxLength: 2 }),
)
const metadata = fc.record({ x: value, y: value, z: value }, { requiredKeys: [] })
const key = fc.constantFrom('x', 'y', 'z', 'metadata.x')
const anyFilter = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('==', '!=', 'array-contains'), value }),
  fc.record({
    key,
    operator: fc.constantFrom('in', 'not-in', 'array-contains-any'),
    value: fc.array(value, { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ key, operator: fc.constantFrom('<', '<=', '>', '>='), value: scalar.filter((one) => one !== null) }),
) as fc.Arbitrary<DocumentFilter>

type Metadata = Record<string, unknown>

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const isOneOf = (list: unknown, one: unknown) => (list as unknown[]).some((other) => same(one, other))

/** Returns the order of two values, as a difference; NaN if they have none. */
function difference(one: unknown, other: unknown): number {
  if (typeof one !== typeof other || one === null) return Number.NaN
  return typeof one === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(other as string))
    : Number(one) - Number(other)
}

const MODEL: Record<DocumentFilter['operator'], (field: unknown, value: unknown) => boolean> = {
  '==': same,
  '!=': (field, value) => !same(field, value),
  in: (field, value) => isOneOf(value, field),
  'not-in': (field, value) => !isOneOf(value, field),
  '<': (field, value) => difference(field, value) < 0,
  '<=': (field, value) => difference(field, value) <= 0,
  '>': (field, value) => difference(field, value) > 0,
  '>=': (field, value) => difference(field, value) >= 0,
  'array-contains': (field, value) => Array.isArray(field) && isOneOf(field, value),
  'array-contains-any': (field, value) => Array.isArray(field) && field.some((item) => isOneOf(value, item)),
}

const matches = (document: Metadata, { key, operator, value }: DocumentFilter): boolean => {
  const name = key.replace(/^metadata\./, '')
  return name in document && MODEL[operator](document[name], value)
}

type Place = 'root' | 'f' | undefined

/** Returns the ids that match all filters, from small pages, after checking that documents.count agrees. */
async function matching(acme: Acme, filters: DocumentFilter[], folderId: Place): Promise<string[]> {
  const ids: string[] = []
  for await (const { data } of pagesOf((pageToken) =>
    acme.post(getDocuments, { filters, folderId, pageSize: 37, pageToken }),
  ))
    ids.push(...data.map(({ id }: { id: string }) => id))
  assert.equal((await acme.call(countDocuments, { filters, folderId })).count, ids.length)
  return ids
}

const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

for (const [where, start] of [
  ['without an index', () => sharedServer()],
  ['with the index', startIndexedServer],
] as const)
  describe(`random filters on random documents ${where}`, () => {
    it('match what a model without SQL matches', async () => {
      const acme = await newAcme(await start())
      await acme.addTree({ f: 'root' })
      const documents = fc.sample(metadata, { ...SEED, numRuns: 400 }).map((fields, index) => ({
        documentId: `d${String(index).padStart(3, '0')}`,
        folderId: index % 3 === 0 ? ('f' as const) : ('root' as const),
        fields,
      }))
      for (const folder of ['root', 'f'] as const)
        await acme.addDocuments(
          folder,
          ...documents
            .filter(({ folderId }) => folderId === folder)
            .map(({ documentId, fields }) => ({ documentId, ...fields })),
        )
      const found = new Set<string>()
      const filters = fc.array(anyFilter, { minLength: 1, maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(filters, fc.constantFrom<Place[]>(undefined, 'root', 'f'), async (filters, place) => {
          const expected = documents
            .filter(({ folderId }) => place === undefined || place === folderId)
            .filter(({ fields }) => filters.every((one) => matches(fields, one)))
            .map(({ documentId }) => documentId)
          assert.deepEqual(await matching(acme, filters, place), expected)
          if (expected.length > 0) for (const { operator } of filters) found.add(operator)
        }),
        { ...SEED, numRuns: 250 },
      )
      assert.deepEqual([...found].sort(), Object.keys(MODEL).sort())
    })
  })

describe('the index for filters', () => {
  it('completes pages of filters that few documents of the organization match', async () => {
    const indexed = await startIndexedServer()
    const [acme, other] = [await newAcme(indexed), await newAcme(indexed)]
    const many = LIMITS.documentsExaminedPerPageMax + 100
    for (const { key } of [acme, other])
      await indexed.db.query(
        `insert into resources (organization_key, resource_key, kind, id, metadata, added_at)
         select $1::uuid, gen_random_uuid(), 'document', 'd' || lpad(n::text, 7, '0'),
                jsonb_build_object('n', n, 'list', jsonb_build_array(n, 'x'), 'tenth', n % 10), now()
           from generate_series(1, ${many}) n`,
        [organizationKey({ apiKeyId: apiKeyOf(key) as never }, organizationId)],
      )
    const page = async (filters: unknown[]) => {
      const { data, nextPageToken } = (await acme.post(getDocuments, { filters, pageSize: 5 })).body.result
      return { found: data.map((document: { n: number }) => document.n), isLast: nextPageToken === undefined }
    }
    const rare = { key: 'n', operator: '==', value: many }
    const inList = { key: 'list', operator: 'array-contains', value: many }
    const tenth = { key: 'tenth', operator: '==', value: many % 10 }
    for (const filters of [[rare], [inList], [rare, tenth]])
      assert.deepEqual(await page(filters), { found: [many], isLast: true })
    assert.deepEqual(await page([{ ...rare, value: many + 1 }]), { found: [], isLast: true })
    assert.deepEqual(await page([{ ...rare, operator: 'in', value: [many, many - 1] }]), { found: [], isLast: false })
    const common = { key: 'list', operator: 'array-contains', value: 'x' }
    assert.deepEqual(await page([common, { ...rare, operator: '>', value: 5_000 }]), {
      found: [5_001, 5_002, 5_003, 5_004, 5_005],
      isLast: false,
    })
    await indexed.db.query('drop index resources__filters')
    assert.deepEqual(await page([rare]), { found: [], isLast: false })
  })
})
