/** Every invalid body is refused, and nothing more happens: for every operation of the contract, generated from its schemas. */
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'
import { PROTECTING_NAMES } from '#contract/access/access-words.ts'
import { ACCESS_ROLES } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { needsNoData } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { startServer } from '#testing/server.ts'
import { callersFrom, newCallers } from './support/callers.ts'
import { refused, refusedField } from './support/refused.ts'
import {
  bodiesWith,
  type Case,
  exampleWith,
  isCallerId,
  isText,
  outOfBounds,
  placesOf,
  written,
  wrongTypes,
} from './support/schema-walk.ts'
import { rowCounts } from './support/tables.ts'

const server = await startServer()
/** The bodies of this operation go over sockets, those of all others do not. */
const [first] = OPERATIONS
const overSockets = await newCallers(server.url)
const inProcess = await callersFrom(server.client)
// The key has all roles, so that a fault about a role lists all of them.
for (const { apiKey } of [overSockets, inProcess])
  await apiKey.call(updateKeyConfig, { accessRoles: [...ACCESS_ROLES] })
const rows = await rowCounts(server.db)
afterAll(async () => assert.deepEqual(await rowCounts(server.db), rows, 'a refused call has written something'))

const MEBIBYTE = 1024 * 1024
const OVER_THE_LIMIT = Buffer.from(`{"data":{"x":"${'x'.repeat(9 * MEBIBYTE)}"}}`)

const UNTIDY_IDS = [' x', 'x ', '\tx', 'x\n', '\u00a0x', 'x\u2028', 'a\u0007b', 'a\u0085b', 'a\u007fb', ' ']
const UNSTORABLE = ['abc\0', 'abc\ud800', '\udc00abc']

/** Tries all values at the first path of an operation, and one at each other path, which has the same check. */
const some = (values: readonly string[], nth: number): readonly string[] =>
  nth === 0 ? values : values.slice(nth % values.length).slice(0, 1)

/** A value for a field that is refused. */
const at = (path: Case['path'], value: unknown, says?: string): Case => ({ path, field: written(path), value, says })

const misspelt = (name: string): string =>
  name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`).replace(/^[a-z._]+$/, '$&_')

const isProtecting = (name: string): boolean => PROTECTING_NAMES.some((protecting) => protecting === name)

for (const operation of OPERATIONS)
  describe(operation.name, () => {
    const callers = operation === first ? overSockets : inProcess
    const post = (data: unknown) => callers[operation.credentials].post(operation.path, data)
    const raw = (body: string | Uint8Array, headers?: Record<string, string>) =>
      callers[operation.credentials].raw(operation.path, body, headers)
    /** Asserts that each fault is named, also together with others. */
    const refusesAll = async (cases: readonly Case[]) => {
      for (const { data, faults } of bodiesWith(operation, cases)) {
        const answer = await post(data)
        for (const { field, says } of faults)
          refusedField(answer, field, says === undefined ? undefined : `${field} ${says}`)
      }
    }
    const all = placesOf(operation)
    const inside = all.filter(({ path }) => path.length > 0)

    it.concurrent('refuses a body that is not JSON', async () => {
      for (const body of ['{"data":', 'data={}', '{"data":{}}}', "{'data':{}}", '{"data":{"a":1,}}'])
        assert.match(refused(await raw(body), 'INVALID_ARGUMENT').message, /^The body is not valid JSON: /)
    })

    it.concurrent('refuses keys that would change the prototype of objects, and says so', async () => {
      for (const body of ['{"data":{"__proto__":{}}}', '{"data":{"x":[{"constructor":{"prototype":1}}]}}'])
        assert.match(refused(await raw(body), 'INVALID_ARGUMENT').message, /^The body must not have a key "__proto__"/)
    })

    it.concurrent('refuses a body that is not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from('{"data":{"x":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}}')])
      assert.equal(refused(await raw(body), 'INVALID_ARGUMENT').message, 'The body is not valid UTF-8.')
    })

    it.concurrent('refuses another content type', async () => {
      const body = JSON.stringify({ data: operation.example })
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
        const { message } = refused(await raw(body, { 'content-type': type }), 'INVALID_ARGUMENT')
        assert.equal(message, 'The content-type must be application/json.')
      }
    })

    it.concurrent('refuses an empty body, unless the call needs no data', async () => {
      if (!needsNoData(operation))
        assert.match(refused(await raw(''), 'INVALID_ARGUMENT').message, /^The body is empty/)
    })

    it.concurrent('refuses a body without an object under data', async () => {
      const absent = needsNoData(operation) ? [] : ['{}', '{"data":null}']
      for (const body of [...absent, '[]', 'null', '"data"', '7', '{"Data":{}}'])
        refusedField(await raw(body), 'data', /^data is required/)
      for (const data of [[], 'text', 7, true]) refusedField(await post(data), 'data', 'data must be an object')
    })

    it.concurrent('refuses a body over the limit', async () => {
      const answer = await raw(OVER_THE_LIMIT)
      const isSmall = operation.credentials === 'none' || operation.unlimited === true
      const max = isSmall ? LIMITS.smallBodyBytesMax : LIMITS.bodyBytesMax
      const { message } = refused(answer, 'INVALID_ARGUMENT')
      assert.equal(message, `The body must not have more than ${max} bytes.`)
    })

    it.concurrent('refuses a field beside data', async () => {
      const body = JSON.stringify({ data: operation.example, extra: 1 })
      refusedField(await raw(body), 'extra', 'extra is not a known field')
      refusedField(
        await raw(JSON.stringify({ Data: operation.example })),
        'Data',
        'Data is not a known field; did you mean "data"?',
      )
    })

    it.concurrent('refuses unknown fields and suggests the known field that they resemble', () =>
      refusesAll(
        all.flatMap(({ path, schema }) => {
          if (schema.properties === undefined || (schema.additionalProperties !== false && !schema.metadata)) return []
          const known = Object.keys(schema.properties).filter((name) => !schema.metadata || isProtecting(name))
          return [
            ...(schema.metadata ? [] : [at([...path, 'zzzzzz'], 1, 'is not a known field')]),
            ...known.map((name) => at([...path, misspelt(name)], 1, `is not a known field; did you mean "${name}"?`)),
          ]
        }),
      ))

    it.concurrent('refuses names of protecting fields and near spellings of them where fields are open', async () => {
      for (const { path, schema } of all.filter(({ schema }) => schema.metadata))
        for (const name of PROTECTING_NAMES)
          for (const spelling of [name, name.toUpperCase(), `_${name}`].filter(
            (one) => !(one in (schema.properties ?? {})),
          ))
            refusedField(await post(exampleWith(operation, [...path, spelling], 'x')), written([...path, spelling]))
    })

    it.concurrent('refuses names under which the returned record has a field of its own', async () => {
      for (const { path, schema } of all)
        for (const name of (schema.recordFields ?? []).filter((field) => !(field in (schema.properties ?? {}))))
          refusedField(await post(exampleWith(operation, [...path, name], 7)), written([...path, name]), /is refused/)
    })

    it.concurrent('names each required field that is missing', async () => {
      for (const { path, schema } of all)
        for (const name of schema.required ?? []) {
          const field = written([...path, name])
          refusedField(await post(exampleWith(operation, [...path, name], undefined)), field, `${field} is required`)
        }
    })

    it.concurrent('names each field of a wrong type', async () => {
      await refusesAll(inside.flatMap(wrongTypes))
      const [alone] = inside.flatMap(wrongTypes)
      if (alone !== undefined)
        refusedField(
          await post(exampleWith(operation, alone.path, alone.value)),
          alone.field,
          `${alone.field} ${alone.says}`,
        )
    })

    it.concurrent('names each field beyond its limits', () => refusesAll(inside.flatMap(outOfBounds)))

    it.concurrent('refuses ids with control characters, or white space at an end', () =>
      refusesAll(inside.filter(isCallerId).flatMap(({ path }, nth) => some(UNTIDY_IDS, nth).map((id) => at(path, id)))))

    it.concurrent('refuses NUL and unpaired surrogates in every text', () =>
      refusesAll(inside.filter(isText).flatMap(({ path }, nth) => some(UNSTORABLE, nth).map((text) => at(path, text)))))

    it.concurrent('lists every fault, the first one as the message', async () => {
      const wrong = inside.filter(({ path }) => path.length === 1).flatMap((place) => wrongTypes(place).slice(0, 1))
      const answer = await post({
        ...Object.fromEntries(wrong.map(({ field, value }) => [field, value])),
        zzzzzz: null,
      })
      const { message, details } = refused(answer, 'INVALID_ARGUMENT')
      assert.equal(message, details[0].message)
      const fields = details.map(({ field }: { field: string }) => field)
      assert.deepEqual(new Set(fields), new Set([...wrong.map(({ field }) => field), 'zzzzzz']))
    })
  })
