/** Random document filters on random documents, compared with a model without SQL (rules/resources.md#document-filters). */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { countDocuments, type DocumentFilter, getDocuments } from '#contract/documents.ts'
import { type Acme, newAcme } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

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

/** Returns the ids that match all filters, from pages whose size is no divisor, after checking that documents.count agrees. */
async function matching(acme: Acme, filters: DocumentFilter[]): Promise<string[]> {
  const ids: string[] = []
  let pageToken: string | undefined
  do {
    const { result } = (await acme.post(getDocuments, { filters, pageSize: 97, pageToken })).body
    ids.push(...result.data.map(({ id }: { id: string }) => id))
    pageToken = result.nextPageToken
  } while (pageToken !== undefined)
  assert.equal((await acme.call(countDocuments, { filters })).count, ids.length)
  return ids
}

describe('random filters on random documents', () => {
  it('match what a model without SQL matches', async () => {
    const acme = await newAcme(server)
    const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }
    const documents = fc.sample(metadata, { ...SEED, numRuns: 400 })
    await acme.addDocuments(
      'root',
      ...documents.map((fields, index) => ({ documentId: `d${String(index).padStart(3, '0')}`, ...fields })),
    )
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(anyFilter, { minLength: 1, maxLength: 3 }), async (filters) => {
        const expected = documents.flatMap((document, index) =>
          filters.every((one) => matches(document, one)) ? [`d${String(index).padStart(3, '0')}`] : [],
        )
        assert.deepEqual(await matching(acme, filters), expected, JSON.stringify(documents))
        if (expected.length > 0) for (const { operator } of filters) found.add(operator)
      }),
      { ...SEED, numRuns: 250 },
    )
    assert.deepEqual([...found].sort(), Object.keys(MODEL).sort())
  })
})
