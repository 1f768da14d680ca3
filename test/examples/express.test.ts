/** The example for Express keeps the promise of all examples. The test of the package installs the client as users do. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FULL } from '#testing/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { describeExample } from './promise.ts'
import { copyOf, npmInstall, startExample } from './start.ts'

/** The packages of the checkout, and the client as its sources, which takes no time. */
function linkPackages(folder: string): void {
  const client = path.join(folder, 'node_modules/@commonhold/client')
  mkdirSync(client, { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules/express'), path.join(folder, 'node_modules/express'))
  writeFileSync(path.join(client, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }))
  writeFileSync(path.join(client, 'index.js'), `export * from ${JSON.stringify(path.join(ROOT, 'sdk/index.ts'))}`)
}

async function start() {
  const folder = copyOf('express')
  const missing = FULL ? await npmInstall(folder) : linkPackages(folder)
  return missing ?? startExample(folder, process.execPath, 'main.ts')
}

describeExample('Express', await start(), { folder: 'express', readsEncodedSlashes: true, repeatsCalls: true })
