/** The OpenAPI document: valid by independent validators, complete, and consistent with the contract. */
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, it, vi } from 'vitest'
import { takesIdempotencyKey } from '#contract/core/operation.ts'
import { STATUS } from '#contract/core/status.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { COMMON_REASONS, OPERATION_REASONS } from '#contract/reasons/reasons.ts'
import { sharedServer } from '#testing/server.ts'
import { placesOf, type Schema, written } from './support/schema-walk.ts'

const server = await sharedServer()
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
const document: any = await (await fetch(`${server.url}/openapi.json`)).json()

/** The keywords of JSON Schema 2020-12 that the document uses. Our own keywords must not appear. */
const KEYWORDS = new Set([
  ...['$ref', 'type', 'enum', 'const', 'properties', 'patternProperties', 'additionalProperties', 'required', 'items'],
  ...['anyOf', 'allOf', 'oneOf', 'description', 'examples', 'default', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'minProperties'],
])
const HOLD_BY_NAME = new Set(['properties', 'patternProperties'])

/** Visits a schema and those inside it. */
function eachSchema(schema: object, at: string, visit: (schema: Record<string, unknown>, at: string) => void): void {
  visit(schema as Record<string, unknown>, at)
  for (const [keyword, value] of Object.entries(schema)) {
    if (HOLD_BY_NAME.has(keyword))
      for (const [name, inner] of Object.entries(value)) eachSchema(inner as object, `${at}.${name}`, visit)
    else if (['items', 'additionalProperties'].includes(keyword) && typeof value === 'object')
      eachSchema(value, `${at}[]`, visit)
    else if (/^(any|all|one)Of$/.test(keyword)) for (const inner of value) eachSchema(inner, at, visit)
  }
}

const { schemas } = document.components
const named = ({ $ref }: { $ref: string }) => schemas[$ref.slice('#/components/schemas/'.length)]

/** Returns a schema with the schemas that it refers to in their places. */
const whole = (schema: object): Schema =>
  JSON.parse(JSON.stringify(schema), (_, value) => (value?.$ref === undefined ? value : whole(named(value))))

const body = (path: string) => document.paths[path].post.requestBody.content['application/json']
const bodySchema = (path: string) => named(body(path).schema)

type AnyOperation = { operationId: string; tags: string[]; security: object[]; responses: object; requestBody?: object }
const operations = Object.values<object>(document.paths).flatMap((path) => Object.values<AnyOperation>(path as never))
const pascalCase = (id: string) => id.replaceAll(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Returns the type in the document: for enums of texts, and for times, which may be fractions. */
const typeOf = (schema: Schema): unknown =>
  schema.enum !== undefined ? 'string' : schema.roundsUp ? 'number' : schema.type

/** The document has a constant as an enumeration of one value. */
const valuesOf = (schema: object) => ('const' in schema ? [schema.const] : (schema as { enum?: unknown[] }).enum)

describe('openapi.json', () => {
  it('is written once for all callers, who need no credentials', async (t) => {
    const writing = vi.spyOn(JSON, 'stringify')
    t.onTestFinished(() => writing.mockRestore())
    const answers = [1, 2, 3].map(async () => (await fetch(`${server.url}/openapi.json`)).json())
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, document)
    const written = writing.mock.calls.filter(([value]) => (value as { openapi?: unknown } | undefined)?.openapi)
    assert.equal(written.length, 0)
  })

  it('is a valid OpenAPI 3.1 document, and every reference in it resolves', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    assert.ok(valid, JSON.stringify(errors))
    assert.equal(validator.version, '3.1')
    assert.doesNotThrow(() => validator.resolveRefs())
    for (const [ref] of JSON.stringify(document).matchAll(/"#\/[^"]+"/g)) {
      const parts: string[] = JSON.parse(ref).slice(2).split('/')
      assert.ok(
        parts.reduce((inner, part) => inner?.[part], document),
        ref,
      )
    }
  })

  it('has every operation under a unique name, with its example and credentials', () => {
    assert.ok(document.info.title && document.info.version)
    assert.equal(document.servers[0].url, '/')
    const ids = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const operation of OPERATIONS) {
      const { post } = document.paths[operation.path]
      assert.equal(post.operationId, operation.name)
      assert.ok(post.summary && post.description)
      assert.equal(post.requestBody.required, true)
      assert.deepEqual(body(operation.path).example, { data: operation.example })
      const names = post.security.flatMap((scheme: object) => Object.keys(scheme))
      assert.equal(names.length, operation.credentials === 'none' ? 0 : operation.userToken ? 3 : 2)
      for (const name of names) {
        const scheme = document.components.securitySchemes[name]
        assert.equal(scheme.scheme === 'bearer' ? 'user-token' : scheme.name, name)
      }
      if (operation.scope !== undefined) assert.ok(post.description.includes(`the scope \`${operation.scope}\``))
      const headers = (post.parameters ?? []).map(({ name }: { name: string }) => name)
      assert.deepEqual(headers, takesIdempotencyKey(operation) ? ['Idempotency-Key'] : [])
    }
  })

  it('says of every operation which credentials it takes, and describes its tag', () => {
    const described = new Map(
      document.tags.map((tag: { name: string; description: string }) => [tag.name, tag.description]),
    )
    for (const { operationId, security, tags } of operations) {
      assert.ok(Array.isArray(security), operationId)
      for (const tag of tags) assert.match(String(described.get(tag)), /^[A-Z].*\.$/, tag)
    }
    assert.deepEqual([...described.keys()].toSorted(), [...new Set(operations.flatMap(({ tags }) => tags))].toSorted())
  })

  it('names the request and the response of every operation, and each type that several have', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const text = JSON.stringify([requestBody, responses])
      if (/^authzen[.]|^live[.]|[.]jwks$/.test(operationId)) continue
      const name = pascalCase(operationId)
      assert.ok(
        text.includes(`"#/components/schemas/${name}Request"`) &&
          text.includes(`"#/components/schemas/${name}Response"`),
        name,
      )
    }
    const shapeOf = ({ description: _, ...shape }: Record<string, unknown>) => JSON.stringify(shape)
    const known = new Map(Object.entries<object>(schemas).map(([name, schema]) => [shapeOf(schema as never), name]))
    for (const [name, schema] of Object.entries<object>(schemas))
      eachSchema(schema, name, (inner, at) => {
        if (inner.type !== 'object' || Object.keys(inner.properties ?? {}).length < 2 || at === name) return
        if (/(Request\.data|Response\.result)$/.test(at)) return
        assert.equal(known.get(shapeOf(inner)), undefined, `${at} has no name of its own`)
        known.set(shapeOf(inner), at)
      })
  })

  it('has an example of a response of every operation', () => {
    for (const { operationId, responses } of operations) {
      const { example } =
        Object.values(
          (responses as Record<string, { content: Record<string, { example?: object }> }>)[200]?.content ?? {},
        )[0] ?? {}
      assert.ok(example, operationId)
    }
  })

  it('has only patterns that other languages support', () => {
    const patterns = new Set(
      [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) => JSON.parse(text)),
    )
    assert.ok(patterns.size > 5)
    for (const pattern of patterns) {
      assert.doesNotMatch(
        pattern,
        /\(\?|\\[^sSdDwW.x]|\\x[^0-9a-f]/,
        'look-arounds, and escapes that RE2 or Python lack',
      )
      assert.doesNotThrow(() => new RegExp(pattern, 'u'))
    }
  })

  it('has exactly the statuses that an operation can return, with their reasons', () => {
    for (const { path, reasons = [], credentials } of OPERATIONS) {
      const { responses } = document.paths[path].post
      assert.equal('401' in responses, credentials !== 'none')
      const said = new Set<string>()
      for (const [http, { description, content }] of Object.entries<{ description: string; content: object }>(
        responses,
      )) {
        if (http === '200') continue
        assert.match(JSON.stringify(content), /#\/components\/schemas\/Error"/)
        for (const [, status = '', list = ''] of description.matchAll(/([A-Z_]+): ([^;]+)/g)) {
          assert.equal(STATUS[status as keyof typeof STATUS].http, Number(http))
          for (const [, reason = ''] of list.matchAll(/`(\w+)`/g)) {
            assert.ok((COMMON_REASONS[reason] ?? OPERATION_REASONS[reason])?.statuses.includes(status as never), reason)
            said.add(reason)
          }
        }
      }
      for (const reason of [...reasons, 'invalid_argument', 'internal'])
        assert.ok(said.has(reason), `${path} ${reason}`)
    }
  })

  it('has every limit of every field, with its description in the contract', () => {
    for (const operation of OPERATIONS) {
      const shown = new Map(
        placesOf({ ...operation, data: whole(bodySchema(operation.path)).properties?.data as never }).map(
          ({ path, schema }) => [written(path), schema],
        ),
      )
      for (const { path, schema } of placesOf(operation))
        for (const bound of [
          'type',
          'enum',
          'minLength',
          'maxLength',
          'minimum',
          'maximum',
          'minItems',
          'maxItems',
          'pattern',
          'required',
        ] as (keyof Schema)[])
          assert.deepEqual(
            shown.get(written(path))?.[bound],
            bound === 'type' ? typeOf(schema) : bound === 'enum' ? valuesOf(schema) : schema[bound],
            `${operation.name} ${written(path)} ${bound}`,
          )
    }
  })

  it('uses only keywords and types of JSON Schema', () => {
    const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
    const check = (schema: Record<string, unknown>, at: string) => {
      for (const keyword of Object.keys(schema)) assert.ok(KEYWORDS.has(keyword), `${at}: ${keyword}`)
      if (schema.type !== undefined) assert.ok(types.has(String(schema.type)), `${at} is ${schema.type}`)
      if (schema.properties !== undefined)
        for (const field of (schema.required ?? []) as string[])
          assert.ok(Object.hasOwn(schema.properties as object, field), `${at} requires ${field}`)
    }
    for (const [name, schema] of Object.entries<object>(schemas)) eachSchema(schema, name, check)
  })
})
