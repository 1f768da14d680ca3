/** The command line of a checkout: `npx commonhold` runs it, as it runs the installed package. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { it } from 'vitest'
import { OFFLINE_NPM } from '#testing/processes/package.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { ROOT } from '../../scripts/root.ts'

const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))

it('runs as npx commonhold after npm ci, anywhere in the checkout, whichever Node is first on the path', () => {
  const checkout = temporaryFolder()
  mkdirSync(path.join(checkout, 'node_modules/.bin'), { recursive: true })
  mkdirSync(path.join(checkout, 'docs'))
  symlinkSync(process.execPath, path.join(checkout, 'node_modules/.bin/node'))
  symlinkSync(path.join(ROOT, 'cli'), path.join(checkout, 'cli'))
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/link-command.ts'), checkout])
  const env = { ...process.env, ...OFFLINE_NPM, HOME: checkout }
  const options = { cwd: path.join(checkout, 'docs'), env, encoding: 'utf8' } as const
  assert.equal(execFileSync('npx', ['commonhold', '--version'], options), `${version}\n`)
})

it('links the command after each installation', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  assert.match(scripts.postinstall, /link-command\.ts/)
})
