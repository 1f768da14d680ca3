/** Every operation of the contract has proper names, bounds, descriptions and a valid example. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { describe, it } from 'vitest'
import { placesOf, written } from '../test/conformance/support/schema-walk.ts'
import { type Operation, pathsOf } from './core/operation.ts'
import { OPERATIONS } from './operations.ts'
import * as SCHEMAS from './schemas.ts'

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'credentials' in value && 'path' in value

const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && '~kind' in value

describe('the list of operations', () => {
  it('has no name and no path twice', () => {
    for (const all of [OPERATIONS.map(({ name }) => name), OPERATIONS.flatMap(pathsOf)])
      assert.equal(new Set(all).size, all.length)
  })

  it('has every operation that a file of the contract defines', async () => {
    const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'))
    const modules = await Promise.all(files.map((file) => import(`./${file}`)))
    const defined = modules.flatMap((module) => Object.values<unknown>(module)).filter(isOperation)
    assert.deepEqual(defined.map(({ name }) => name).sort(), OPERATIONS.map(({ name }) => name).sort())
  })

  it('has a name for every schema that a file of the contract exports', async () => {
    const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => !/\.test\.ts$|^schemas/.test(file))
    const modules = await Promise.all(files.map((file) => import(`./${file}`)))
    const exported = modules.flatMap((module) => Object.entries<unknown>(module)).filter(([, value]) => isSchema(value))
    assert.deepEqual(exported.map(([name]) => name).sort(), Object.keys(SCHEMAS))
  })

  it('is called with paths of version 2', () => {
    for (const path of OPERATIONS.flatMap(pathsOf)) assert.match(path, /^\/v2(\/[a-z_-]+)+$/)
  })
})

for (const operation of OPERATIONS)
  describe(operation.name, () => {
    const places = placesOf(operation)

    it('is named resource.verb and described in sentences', () => {
      assert.match(operation.name, /^[a-z-]+\.[a-z]+$/)
      assert.match(operation.summary, /^[A-Z].*[^.]$/)
      assert.match(operation.description, /\.$/)
      assert.match(operation.success, /\.$/)
    })

    it('has reasons that are stable codes, each once', () => {
      const reasons = operation.reasons ?? []
      for (const reason of reasons) assert.match(reason, /^[a-z]+(_[a-z]+)*$/)
      assert.equal(new Set(reasons).size, reasons.length)
    })

    it('names the field that decides between the alternatives of its result', () => {
      const { items, anyOf = items?.anyOf } = (operation.result ?? {}) as {
        anyOf?: object[]
        items?: { anyOf?: object[] }
      }
      assert.equal(anyOf === undefined, operation.resultBy === undefined)
      if (operation.resultBy !== undefined) assert.ok(places.some(({ path }) => written(path) === operation.resultBy))
    })

    it('shows an example that is valid as it stands', () => {
      const checked = Compile(operation.data)
      assert.deepEqual(checked.Errors(operation.example), [])
    })

    it('bounds every text, list and number', () => {
      for (const { path, schema } of places) {
        if (schema.enum !== undefined) continue
        const field = written(path)
        if (schema.type === 'string') assert.ok(schema.maxLength, `${field} has no longest length`)
        if (schema.type === 'array') assert.ok(schema.maxItems, `${field} has no most items`)
        if (schema.type === 'integer' || schema.type === 'number')
          assert.ok(schema.minimum !== undefined && schema.maximum !== undefined, `${field} has no bounds`)
      }
    })

    it('closes every object, or says what happens to other fields', () => {
      for (const { path, schema } of places) {
        if (schema.type !== 'object') continue
        const open = schema.metadata === true || (schema as { freeform?: boolean }).freeform === true
        assert.equal(schema.additionalProperties, open, `${written(path) || 'data'}`)
      }
    })

    it('names the call that sets access, for every object with metadata', () => {
      for (const { path, schema } of places)
        if (schema.metadata === true) assert.ok((schema as { accessAdvice?: object }).accessAdvice, written(path))
    })

    it('describes every pattern of a text', () => {
      for (const { path, schema } of places)
        if (schema.pattern !== undefined) assert.ok((schema as { says?: string }).says, written(path))
    })
  })
