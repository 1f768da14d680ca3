/** Checks types, lint, format, imports and dead code, all at the same time: `npm run check`. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { ROOT } from './root.ts'

/** Unchanged files are not checked again. */
const CACHE = 'node_modules/.cache/commonhold'

/** Checks types on one core, because more checkers would check shared files more than once. */
const tsc = (project: string) =>
  `tsc -p ${project} --checkers 1 --incremental --tsBuildInfoFile ${CACHE}/types-of-${project === '.' ? 'root' : project}`

const FOLDERS = 'bench cli components console contract examples moving scripts sdk server test testing vitest.config.ts'

/** The parts that use one core each. */
const PARTS = [
  tsc('.'),
  tsc('console'),
  tsc('components'),
  'biome ci --error-on-warnings .',
  `depcruise --cache ${CACHE}/imports --cache-strategy content --output-type err-long ${FOLDERS}`,
  `knip --cache --cache-location ${CACHE}/knip`,
]

/** Runs a part, prints its output when it has ended, and returns whether it succeeded. */
async function check(command: string): Promise<boolean> {
  const [program = '', ...args] = command.split(' ')
  const part = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const code = new Promise<number | null>((resolve, reject) => part.once('error', reject).once('exit', resolve))
  const [out, err] = await Promise.all([text(part.stdout), text(part.stderr)])
  const passed = (await code) === 0
  process.stdout.write(`${passed ? '✔' : '✘'} ${command}\n${out}${err}`)
  return passed
}

const passed = await Promise.all(PARTS.map(check))
process.exitCode = passed.every(Boolean) ? 0 : 1
