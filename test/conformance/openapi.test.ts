/** The OpenAPI document: valid by independent validators, complete, and consistent with the contract. */
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, it } from 'vitest'
import { takesIdempotencyKey } from '#contract/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { COMMON_REASONS, OPERATION_REASONS } from '#contract/reasons.ts'
import { STATUS } from '#contract/status.ts'
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

const body = (path: string) => document.paths[path].post.requestBody.content['application/json']
const bodySchema = (path: string) => body(path).schema

describe('openapi.json', () => {
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
    const ids = Object.values<object>(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
    for (const operation of OPERATIONS) {
      const { post } = document.paths[operation.path]
      assert.equal(post.operationId, operation.name)
      assert.ok(post.summary && post.description)
      assert.equal(post.requestBody.required, true)
      assert.deepEqual(body(operation.path).example, { data: operation.example })
      const names = (post.security ?? []).flatMap((scheme: object) => Object.keys(scheme))
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
        placesOf({ ...operation, data: bodySchema(operation.path).properties.data }).map(({ path, schema }) => [
          written(path),
          schema,
        ]),
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
            schema[bound],
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
    for (const [name, schema] of Object.entries<object>(document.components.schemas)) eachSchema(schema, name, check)
    for (const { path, name } of OPERATIONS) {
      eachSchema(bodySchema(path), name, check)
      for (const [http, { content }] of Object.entries<{ content: { 'application/json': { schema: object } } }>(
        document.paths[path].post.responses,
      ))
        eachSchema(content['application/json'].schema, `${name} ${http}`, check)
    }
  })
})
