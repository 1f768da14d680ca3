/** The generated types of the client are equivalent to the schemas of the contract: each is assignable to the other. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { temporaryFolder } from '#testing/process.ts'
import { ROOT } from '../../scripts/root.ts'

/** `addPermissions`, the file that exports it, and whether it has a result. */
async function operations(): Promise<{ constant: string; file: string; hasResult: boolean }[]> {
  const files = globSync('contract/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const exported = await Promise.all(
    files.map(async (file) =>
      Object.entries<unknown>(await import(path.join(ROOT, file))).map(([name, value]) => ({ name, value, file })),
    ),
  )
  return OPERATIONS.flatMap((operation) =>
    exported
      .flat()
      .filter(({ value }) => value === operation)
      .map(({ name, file }) => ({ constant: name, file, hasResult: operation.result !== undefined })),
  )
}

const HEAD = `
import type { DataOf, ResultOf } from '${ROOT}/contract/operation.ts'
import type * as client from '${ROOT}/sdk/index.ts'

/** The client accepts read-only lists. */
type Writable<Type> = Type extends readonly (infer Item)[] ? Writable<Item>[] : Type extends object ? { -readonly [Key in keyof Type]: Writable<Type[Key]> } : Type
/** Objects without known fields are unspecified in the contract; the client declares whether they are open. */
type Plain<Type> = Type extends readonly (infer Item)[] ? Plain<Item>[] : Type extends object ? ([keyof Type] extends [never] ? any : { [Key in keyof Type]: Plain<Type[Key]> }) : Type
type Takes<Contract, Client> = [Writable<Client>] extends [Plain<Contract>] ? true : 'the client lets pass what the contract does not'
type Same<Contract, Client> = [Plain<Contract>] extends [Writable<Client>] ? Takes<Contract, Client> : 'the client does not let pass what the contract does'
`

/** The client is more precise than the contract about the families of event types. */
const MORE_PRECISE = ['listEvents', 'listAccountEvents']

describe('the types of the client', () => {
  it('are those of the contract', async () => {
    const all = await operations()
    assert.equal(all.length, OPERATIONS.length)
    const checks = all.flatMap(({ constant, file, hasResult }) => {
      const name = constant.charAt(0).toUpperCase() + constant.slice(1)
      const operation = `typeof import('${ROOT}/${file}').${constant}`
      return [
        `export const ${constant}Data: ${MORE_PRECISE.includes(constant) ? 'Takes' : 'Same'}<DataOf<${operation}>, client.${name}Data> = true`,
        ...(hasResult
          ? [`export const ${constant}Result: Same<ResultOf<${operation}>, client.${name}Result> = true`]
          : []),
      ]
    })
    const folder = temporaryFolder()
    writeFileSync(path.join(folder, 'types.mts'), HEAD + checks.join('\n'))
    const tsconfig = {
      extends: path.join(ROOT, 'tsconfig.json'),
      compilerOptions: { typeRoots: [path.join(ROOT, 'node_modules/@types')] },
      include: ['types.mts'],
    }
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc')
    let said = ''
    try {
      execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    } catch (error) {
      said = String((error as { stdout: string }).stdout)
    }
    assert.equal(said, '')
  })
})
