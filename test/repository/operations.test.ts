/** Every operation of the contract is listed, served and tested, and every reason that it is refused with is declared and described. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { COMMON_REASONS, OPERATION_REASONS } from '#contract/reasons/reasons.ts'
import { ROOT } from '../../scripts/root.ts'
import { files, isTest, read, SOURCES } from './sources.ts'

/** Returns the constant of each operation by its name: `addFolders` of `folders.add`. */
async function operationConstants(): Promise<Map<string, string>> {
  const schemas = SOURCES.filter((file) => file.startsWith('contract/'))
  const modules = await Promise.all(schemas.map((file) => import(path.join(ROOT, file))))
  const exports = modules.flatMap((module) => Object.entries<{ path?: unknown }>(module))
  return new Map(
    exports.flatMap(([constant, value]): [string, string][] => {
      const isOperation = typeof value?.path === 'string' && 'credentials' in value && 'name' in value
      return isOperation ? [[String(value.name), constant]] : []
    }),
  )
}
const constants = await operationConstants()

const REFUSALS = new Map(
  [...read('server/tenancy/refusals.ts').matchAll(/const (\w+) = .*\n\s+new StatusError\('\w+', '(\w+)'/g)].map(
    ([, name = '', reason = '']) => [name, reason],
  ),
)

/** Returns the reasons with which a text refuses, written out or by the name of a shared refusal. */
function reasonsIn(text: string): string[] {
  const written = [
    ...text.matchAll(/new StatusError\(\s*'[A-Z_]+',\s*'(\w+)'/g),
    ...text.matchAll(/\binvalid\('(\w+)'/g),
    ...text.matchAll(/\binvalidArgument\([^;]*?\],?\s*'(\w+)',?\s*\)/g),
  ].map(([, reason = '']) => reason)
  return [...written, ...[...REFUSALS].flatMap(([name, reason]) => (text.includes(`${name}(`) ? [reason] : []))]
}

const inTests = files('{contract,server,test}/**/*.ts')
  .filter((file) => isTest(file) || file.startsWith('test/'))
  .filter((file) => !file.startsWith('test/repository/'))
  .map(read)
  .join('\n')

describe('the operations', () => {
  it('lists every operation of the contract', () => {
    assert.deepEqual(OPERATIONS.map(({ name }) => name).sort(), [...constants.keys()].sort())
  })

  it('has a route for every operation', () => {
    const routes = files('server/features/**/feature.ts').map(read).join('\n')
    const without = [...constants].filter(([, constant]) => !new RegExp(`\\.with\\w+\\(${constant},`).test(routes))
    assert.deepEqual(without, [])
  })

  it('describes every reason in docs/reference/errors.md', () => {
    const used = new Set([
      ...SOURCES.flatMap((file) => reasonsIn(read(file))),
      ...OPERATIONS.flatMap(({ reasons = [] }) => reasons),
      // Triggers refuse with these reasons.
      ...[...read('db/schema.sql').matchAll(/\bdetail = '(\w+)'/g)].map(([, reason = '']) => reason),
      'invalid_argument',
    ])
    const described = [...Object.keys(COMMON_REASONS), ...Object.keys(OPERATION_REASONS)]
    assert.deepEqual([...used].sort(), described.sort())
  })

  it('declares in the contract every reason that a feature refuses with', () => {
    const undeclared = files('server/features/**/feature.ts').flatMap((feature) => {
      const folder = path.posix.dirname(feature)
      const declared = OPERATIONS.filter(({ name }) => read(feature).includes(`(${constants.get(name)},`)).flatMap(
        ({ reasons = [] }) => reasons,
      )
      const thrown = SOURCES.filter((file) => path.posix.dirname(file) === folder).flatMap((file) =>
        reasonsIn(read(file)),
      )
      const known = [...declared, ...Object.keys(COMMON_REASONS)]
      return thrown.filter((reason) => !known.includes(reason)).map((reason) => `${folder}: ${reason}`)
    })
    assert.deepEqual(undeclared, [])
  })

  it('has a test that names every operation', () => {
    const without = [...constants].filter(
      ([name, constant]) => !new RegExp(`['"\`]${name.replace('.', '\\.')}['"\`]|\\b${constant}\\b`).test(inTests),
    )
    assert.deepEqual(without, [])
  })
})
