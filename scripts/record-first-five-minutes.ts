/**
 * Records docs/first-five-minutes.md: runs its commands with the installed package in an empty folder, and writes their
 * output into the page.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { printedBy, stepsOf, withoutSecrets, withShown } from '#testing/pages/shell.ts'
import { installPackage } from '#testing/processes/package.ts'
import { ROOT } from './root.ts'

const PAGE = path.join(ROOT, 'docs/first-five-minutes.md')

const { project, env } = await installPackage()
const page = readFileSync(PAGE, 'utf8')
const steps = stepsOf(page)
const started = performance.now()
const printed = await printedBy(steps, { cwd: project, env })
rmSync(project, { recursive: true, force: true })
if (printed.length - 1 !== steps.length) throw new Error(`The commands ended early: ${printed.at(-1)}`)
writeFileSync(PAGE, withShown(page, printed.map(withoutSecrets)))
process.stdout.write(`${steps.length} steps in ${Math.round((performance.now() - started) / 1_000)} s\n`)
