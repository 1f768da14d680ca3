/** The OpenAPI document passes the linter that many teams use, without a warning; it also validates every example against its schema. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { ROOT } from '../../scripts/root.ts'
import { read } from './sources.ts'

const LINTER = path.join(ROOT, 'node_modules/.bin/redocly')
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

it('docs/reference/openapi.json passes redocly lint', async () => {
  const document = path.join(ROOT, 'docs/reference/openapi.json')
  const { stdout } = await promisify(execFile)(
    LINTER,
    ['lint', '--extends', 'recommended-strict', '--format', 'json', document],
    // Runs outside the repository, where the linter finds no configuration.
    { cwd: os.tmpdir(), env: { ...process.env, ...QUIET } },
  ).catch((failure: { stdout: string }) => failure)
  assert.deepEqual(JSON.parse(stdout).problems, [])
})

interface Schema {
  type?: string
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The names that generators of clients give to the unnamed objects in a schema. */
function namesInside(name: string, { properties = {}, items }: Schema): string[] {
  const inside = Object.entries(properties).map(([field, schema]) => ({ name: name + capital(field), schema }))
  if (items !== undefined) inside.push({ name: `${name}Item`, schema: items })
  return inside.flatMap(({ name, schema }) => [
    ...(schema.type === 'object' ? [name] : []),
    ...namesInside(name, schema),
  ])
}

it('no unnamed object gets the name of a schema in generated clients, which generators refuse', () => {
  const { schemas } = JSON.parse(read('docs/reference/openapi.json')).components
  const made = Object.entries<Schema>(schemas).flatMap(([name, schema]) => namesInside(name, schema))
  assert.deepEqual(
    made.filter((name) => Object.hasOwn(schemas, name)),
    [],
  )
})
