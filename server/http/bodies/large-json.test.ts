/** Large bodies are parsed in slices, by other code than small ones: both parsers accept the same texts, with the same results. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fastify } from 'fastify'
import { describe, it } from 'vitest'
import { parseMarked } from '#contract/validation/numbers.ts'
import { repeatedName } from '#contract/validation/repeated.ts'
import { atOnce, type Steps } from '#contract/validation/steps.ts'
import { withoutMark } from '#contract/validation/text.ts'
import { Abandoned } from '#platform/lifetime.ts'
import { inSlices } from '#platform/queues/slices.ts'
import { parseSteps } from './large-json.ts'

const small = fastify()
small.post('/', async ({ body }) => JSON.stringify({ body }))

/** Writes a value; an integer that was marked, because it would be changed, is `0n`, `1n` or `-1n`. */
const written = (body: unknown): string =>
  JSON.stringify({ body }, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))

/** Returns the value as JSON, or undefined if the text is refused. */
async function parsedByFastify(text: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' }
  const response = await small.inject({ method: 'POST', url: '/', headers, payload: text })
  if (response.statusCode !== 200 || repeatedName(text, JSON.parse(withoutMark(text))) !== undefined) return undefined
  return written(parseMarked(withoutMark(text)))
}

function parsedInSteps(text: string): string | undefined {
  try {
    const { value } = atOnce(parseSteps(Buffer.from(text)))
    return written(value)
  } catch {
    return undefined
  }
}

async function assertSame(text: string): Promise<void> {
  assert.equal(parsedInSteps(text), await parsedByFastify(text), JSON.stringify(text))
}

const EDGES = [
  ...[
    '1',
    '-0',
    '1.',
    '.5',
    '01',
    '00',
    '-01',
    '1e5',
    '1E+2',
    '1e',
    '1e+',
    '1e400',
    '5e-324',
    '-',
    '+1',
    '0x1',
    'NaN',
    'Infinity',
  ],
  ...[
    '9007199254740993',
    '123456789012345678901234567890',
    '1.7976931348623159e308',
    '- 1',
    '1.5.5',
    '1 2',
    'nul',
    'true',
  ],
  ...[
    '"a',
    '"\\ud800"',
    '"a\\udc00b"',
    '"\\ud83d\\ude00"',
    '"\\ud83d\\u0041"',
    '"\\u0000"',
    '"\u0000"',
    '"\n"',
    '"\u2028"',
    '"\\x"',
    '"\\/"',
    '"\\u12"',
  ],
  ...[
    "'a'",
    '{a:1}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a":1,}',
    '{"a" 1}',
    '{"a":}',
    '{:1}',
    '{"a":1}x',
    '{"a":1} ',
    '\u00a01',
    '\v1',
    '\ufeff{}',
    '"\ufeff"',
    '"a\ufeffb"',
    '"ü\ufeff\ufeffü"',
    '{"\ufeffa":1}',
    '"\\ufeff"',
    '"a\\ufeff\\ufeffb"',
    `"${'x'.repeat(16_382)}\ufeffx"`,
  ],
  ...['[[[[', ']', '}', ',', ':', '""""', ' {"a":1}\n\t\r', '{"a":1,"a":2}', '{"1":1,"0":2}'],
  ...[
    '{"__proto__":1}',
    '{"__pro\\u0074o__":1}',
    '{"a":"__proto__"}',
    '{"constructor":{"prototype":1}}',
    '{"constructor":1,"prototype":2}',
  ],
  ...[
    '{"constructor":{"a":{"prototype":1}}}',
    '{"constructor":[{"prototype":2}]}',
    '{"constructor":{"x":{"constructor":{}},"prototype":1}}',
  ],
]

const INSERTED = [
  '',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '1',
  '-',
  '.',
  'e',
  ' ',
  'u',
  '\u0001',
  'ü',
  '\\u00',
  '\\ud8',
]

describe('a large body', () => {
  it('is read like a small one at the edges of the format', async () => {
    for (const text of EDGES) await assertSame(text)
  })

  it('is read like a small one, valid or not', async () => {
    const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...INSERTED), fc.nat({ max: 2 }))
    await fc.assert(
      fc.asyncProperty(cut, async ([json, at, inserted, removed]) => {
        const place = at % (json.length + 1)
        await assertSame(json)
        await assertSame(json.slice(0, place) + inserted + json.slice(place + removed))
      }),
      { numRuns: 500 },
    )
  })

  it('may have the keys that a small one may', async () => {
    const keys = fc.constantFrom('__proto__', 'constructor', 'prototype', 'a', 'b')
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom('1', '"prototype"', '"__proto__"'),
        fc.array(tie('tree'), { maxLength: 3 }).map((items) => `[${items}]`),
        // The last of equal keys counts, so a key that is refused in a large body may have no effect in a small one.
        fc
          .uniqueArray(fc.tuple(keys, tie('tree')), { maxLength: 3, selector: ([key]) => key })
          .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`)}}`),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(tree, async (text) => assertSame(String(text))),
      { numRuns: 1_000 },
    )
  })

  it('reports whether PostgreSQL can store all of it', async () => {
    for (const [text, isUnstorable] of [
      ['{"a":["ü",1e308]}', false],
      ['{"a":"\\u0000"}', true],
      ['{"\\u0000":1}', true],
      ['["\\ud800"]', true],
      ['["\\ud83d\\ude00"]', false],
      ['[1e309]', true],
      ['[9007199254740993]', true],
      ['[6.02e23, 9007199254740991]', false],
    ] as const)
      assert.equal(atOnce(parseSteps(Buffer.from(text))).isUnstorable, isUnstorable, text)
  })

  it('is not read further when its caller has hung up', async () => {
    let steps = 0
    const counted = (function* (): Steps<void> {
      for (const _ of parseSteps(Buffer.from(`[${'[],'.repeat(500_000)}[]]`))) {
        steps++
        yield
      }
    })()
    let isGone = false
    const parsed = inSlices('a tenant', counted, () => isGone)
    isGone = true
    await assert.rejects(parsed, Abandoned)
    assert.ok(steps > 0 && steps < 60, `${steps} of 92 steps`) // the first slice had begun
  })

  it('lets others run in between', async () => {
    let turns = 0
    let isParsing = true
    const count = () => {
      turns++
      if (isParsing) setImmediate(count)
    }
    setImmediate(count)
    await inSlices('a tenant', parseSteps(Buffer.from(`[${'[],'.repeat(500_000)}[]]`)))
    isParsing = false
    assert.ok(turns > 2, `${turns} turns`)
  })
})
