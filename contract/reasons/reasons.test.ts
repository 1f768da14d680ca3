/** The advice about a refusal names calls that exist, and fields that they have. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { pathsOf } from '../core/operation.ts'
import { OPERATIONS } from '../operations.ts'
import { COMMON_REASONS, OPERATION_REASONS } from './reasons.ts'

type Schema = { properties?: Record<string, Schema> }

const PATHS = /`([a-z_]+(?:\/[a-z_]+)+)`/g
const WITH_FIELDS = /`([a-z_]+(?:\/[a-z_]+)+)` (?:with|and) `([A-Za-z.]+): \S+`/g

const operationsAt = (path: string) =>
  OPERATIONS.filter((operation) => pathsOf(operation).some((one) => one.endsWith(`/${path}`)))

const has = (schema: Schema | undefined, [name, ...rest]: readonly string[]): boolean =>
  schema !== undefined && (name === undefined || has(schema.properties?.[name], rest))

describe('what to do next about a reason', () => {
  for (const [reason, { next }] of Object.entries({ ...COMMON_REASONS, ...OPERATION_REASONS }))
    it(`names calls and fields that exist: ${reason}`, () => {
      for (const [, path = ''] of next.matchAll(PATHS)) assert.notEqual(operationsAt(path).length, 0, path)
      for (const [named, path = '', field = ''] of next.matchAll(WITH_FIELDS))
        assert.ok(
          operationsAt(path).some(({ data }) => has(data as Schema, field.split('.'))),
          named,
        )
    })
})
