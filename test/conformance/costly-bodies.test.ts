/** A costly body within the size limit is refused with the reason, and costs the server little more than reading it. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { parseSteps } from '#http/bodies/large-json.ts'
import { sharedServer } from '#testing/server.ts'
import { refused } from './support/refused.ts'

const server = await sharedServer()
const client = await server.newKey()

/** The maximum cost of a request, as a multiple of reading its body. In fact it costs at most twice as much. */
const TIMES_MAX = 4
/**
 * The best measurement counts, because other tests share the processors and their caches, and a request can take several
 * times as long. A request that really costs too much does so in every attempt.
 */
const ATTEMPTS = 10

const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`
const named = (count: number) => Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":1`).join(',')
const withMetadata = (fields: string) => `{"data":{"organizations":[{"organizationId":"a",${fields}}]}}`
const nest = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`

const BODIES: [what: string, body: string, says: string | RegExp][] = [
  [
    'numbers of 308 digits',
    withMetadata(`"x":${list(27_000, '1'.repeat(308))}`),
    'organizations[0].x[0] must not be an integer beyond 9007199254740991, which programs do not keep exactly; write it as a string',
  ],
  [
    '100,000 numbers in a list',
    withMetadata(`"x":${list(100_000, '1')}`),
    'organizations[0] must not have more than 65536 bytes of metadata',
  ],
  [
    '100,000 texts that cannot be stored',
    withMetadata(`"x":${list(100_000, '"\\u0000"')}`),
    'organizations[0].x[0] must not contain NUL or unpaired surrogates',
  ],
  ['125,000 names', withMetadata(named(125_000)), 'organizations[0] must not have more than 100 metadata fields'],
  [
    'a name of 8 million letters',
    withMetadata(`"${'x'.repeat(8_000_000)}":1`),
    'organizations[0] must not have more than 65536 bytes of metadata',
  ],
  ['125,000 unknown fields', `{"data":{${named(125_000)}}}`, 'k0 is not a known field'],
  ['125,000 fields beside data', `{"data":{},${named(125_000)}}`, 'k0 is not a known field'],
  [
    '500,000 items',
    `{"data":{"organizations":${list(500_000, '1')}}}`,
    'organizations must not have more than 1000 items',
  ],
  [
    'a deep nest of lists',
    withMetadata(`"x":${nest('[', ']', 500_000)}`),
    'organizations[0] must not nest deeper than 20 levels',
  ],
  [
    'a deep nest of objects',
    withMetadata(`"x":${nest('{"a":', '}', 250_000)}`),
    'organizations[0] must not nest deeper than 20 levels',
  ],
  [
    'a deep nest with a text that cannot be stored',
    withMetadata(`"x":${nest('[', ']', 500_000)},"y":"\\u0000"`),
    /^organizations\[0\]\.x(\[0\])+ nests too deep$/,
  ],
]

/** Returns the CPU time of this process, in milliseconds, while `work` runs. */
async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Reads a body as the server does, without checking it. */
function read(body: string): void {
  const steps = parseSteps(Buffer.from(body))
  try {
    while (steps.next().done !== true);
  } catch {} // it is refused while it is read
}

describe('a costly body', () => {
  for (const [what, body, says] of BODIES)
    it(`with ${what} is refused quickly, with the reason`, async () => {
      let times = Number.POSITIVE_INFINITY
      let answer = await client.raw(addOrganizations.path, '{}')
      for (let attempt = 0; attempt < ATTEMPTS && times > TIMES_MAX; attempt++) {
        const reading = await cpuMs(() => read(body))
        const calling = await cpuMs(async () => {
          answer = await client.raw(addOrganizations.path, body)
        })
        times = calling / reading
      }
      const { message, details } = refused(answer, 'INVALID_ARGUMENT')
      if (typeof says === 'string') assert.equal(message, says)
      else assert.match(message, says)
      assert.ok(details.length <= LIMITS.faultsMax)
      assert.ok(times <= TIMES_MAX, `it costs ${times} times as much as reading it`)
    })
})

describe('a number', () => {
  const beyond = [
    `1${'0'.repeat(309)}`,
    `1${'0'.repeat(300)}e10`,
    `1${'0'.repeat(199)}e110`,
    `1${'0'.repeat(199)}.5E+110`,
    `${'9'.repeat(199)}e0110`,
    `${'1'.repeat(198)}.${'1'.repeat(150)}e112`,
    '2e308',
    '1.8e+308',
    '-1e400',
    '0.1e00000310',
  ]
  for (const number of beyond)
    it(`beyond the range of a double is refused: ${number.replace(/(\d)\1{20,}/g, '$1…')}`, async () => {
      assert.ok(!Number.isFinite(JSON.parse(number)))
      const { message } = refused(
        await client.raw(addOrganizations.path, withMetadata(`"x":${number}`)),
        'INVALID_ARGUMENT',
      )
      assert.equal(message, 'organizations[0].x must not be a number beyond 1.8e308')
    })

  it('within the range of a double is accepted, however long', async () => {
    const numbers = [`1${'0'.repeat(308)}`, '1e308', '1.7e+308', '0.0000001e310', '1e-400', `0.${'1'.repeat(400)}`]
    for (const number of numbers) {
      const { http, text } = await client.raw(addOrganizations.path, withMetadata(`"x":${number}`))
      assert.equal(http, 200, text)
    }
  })
})

describe('a chain of 1,000 new folders', () => {
  it('is added down to the maximum depth; the rest are refused as too deep, or as inside themselves', async () => {
    await client.call(addOrganizations, { organizations: [{ organizationId: 'deep' }] })
    const chain = Array.from({ length: 998 }, (_, index) => ({
      folderId: `f${index + 1}`,
      ...(index > 0 ? { parentFolderId: `f${index}` } : {}),
    }))
    const circle = [
      { folderId: 'c1', parentFolderId: 'c2' },
      { folderId: 'c2', parentFolderId: 'c1' },
    ]
    const results = await client.call(addFolders, { organizationId: 'deep', folders: [...chain.reverse(), ...circle] })
    for (let depth = 1; depth <= 998; depth++) {
      const { success, code, message } = results[`f${depth}`] ?? assert.fail(`no result of f${depth}`)
      if (depth <= LIMITS.folderDepthMax) assert.ok(success, `f${depth}: ${message}`)
      else
        assert.deepEqual(
          [code, message],
          ['invalid-argument', 'Folders can be nested at most 100 levels deep.'],
          `f${depth}`,
        )
    }
    assert.equal(results.c1?.message, 'The folder would be inside itself.')
  })
})

describe('a large body that is not JSON', () => {
  it('is refused without its text', async () => {
    const { http, text } = await client.raw(addFolders.path, `{"data" "${'x'.repeat(200_000)}"}`)
    assert.equal(http, 400)
    assert.ok(text.length < 1_000, text.slice(0, 2_000))
  })
})
