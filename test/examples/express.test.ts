/**
 * The example for Express keeps the promise of all examples. The full run installs it as its README says, and runs its
 * own tests. docs/guides/check-in-your-framework.md shows its code.
 */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { it } from 'vitest'
import { run } from '#testing/processes/toolchain.ts'
import { FULL } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { describeExample } from './promise.ts'
import { copyOf, npmInstall, startExample } from './start.ts'

const folder = copyOf('express')

/** The packages of the checkout, and the client from its sources, which takes no time to build. */
function linkPackages(): void {
  const client = path.join(folder, 'node_modules/@commonhold/client')
  mkdirSync(client, { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules/express'), path.join(folder, 'node_modules/express'))
  writeFileSync(path.join(client, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }))
  writeFileSync(path.join(client, 'index.js'), `export * from ${JSON.stringify(path.join(ROOT, 'sdk/index.ts'))}`)
}

const missing = FULL ? await npmInstall(folder) : linkPackages()
const example = missing ?? (await startExample(folder, process.execPath, 'main.ts'))

describeExample('Express', example, { folder: 'express', readsEncodedSlashes: true, repeatsCalls: true })

it.runIf(FULL && missing === undefined)(
  'the tests of the Express example pass in a shell of commonhold dev',
  async () => {
    const { PATH, HOME } = process.env
    const dev = [path.join(ROOT, 'cli/main.ts'), 'dev', '--', process.execPath, '--test', '--test-reporter=tap']
    const { stdout } = await run(process.execPath, dev, { cwd: folder, env: { PATH, HOME } })
    assert.match(stdout, /^# pass 3$/m)
  },
)
