/**
 * Follows a page as a reader does: its blocks run in one shell, in their order, in a new folder that has only the
 * checkout, or only the packages that a release publishes. Its TypeScript is one program, which is compiled with the
 * strictest options, and runs on the Node of the checkout and on the oldest Node that the page names. Only the port
 * differs, because 8080 may be in use.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { ROOT } from '../../scripts/root.ts'
import { COMPILED, newHome, writeCommonhold } from '../processes/cli.ts'
import { freePort } from '../processes/free-port.ts'
import { type Installed, OFFLINE_NPM } from '../processes/package.ts'
import { temporaryFolder } from '../processes/process.ts'
import { olderNode } from '../processes/toolchain.ts'
import { patient } from '../run/mode.ts'
import { blocksOf } from './blocks.ts'
import { END_OF_STEP, pageSteps, REMEMBER_TERMINAL, STRICT_SHELL, type Step } from './steps.ts'
import { STRICTEST } from './strictest.ts'

/** A page of thirty commands takes twenty seconds; on two busy processors it takes minutes. */
const PAGE_MS_MAX = Math.ceil(patient(180_000))

/** The names in pages for the address of the server and the folder of the checkout. */
const ADDRESS = '127.0.0.1:8080'
const CHECKOUT = '/home/you/commonhold'

/** Entries of the project folder that a new checkout does not have, and folders that are linked package by package. */
const isInCheckout = (name: string): boolean => !['.git', '.env', 'data', 'demo-data', 'node_modules'].includes(name)

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc')

/** The JavaScript libraries that programs of pages may use: those of the oldest Node that the client supports, and of browsers. */
const LIBRARIES = { node: ['es2023'], browser: ['es2023', 'dom', 'dom.iterable'] }

const OPTIONS = {
  ...{ target: 'es2023', module: 'nodenext', types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] },
  ...{ ...STRICTEST, erasableSyntaxOnly: true },
}

export interface Followed {
  steps: readonly Step[]
  /** The output of each step, on either stream; the list is shorter than the list of steps if one failed. */
  printed: readonly string[]
  /** Files that the reader has left in the checkout, although the page says to work in one, and that git would show. */
  left: readonly string[]
}

interface Reader {
  /** Environment variables for things that the page names and the reader already has, such as another service. */
  given?: Readonly<Record<string, string>> | undefined
  /** Instead of a checkout; the folder of the reader is empty. */
  installed?: Installed | undefined
}

/** Whether the page needs no file of a checkout: its server and its commands are those of the package. */
export const needsOnlyPackages = (page: string): boolean =>
  !/\bnpm run (?!cli\b)|examples\/|\bserver\/|\bclients\//.test(pageSteps(blocksOf(page), '').script)

export async function follow(page: string, { given = {}, installed }: Reader = {}): Promise<Followed> {
  const home = newHome()
  const checkout = installed === undefined ? newCheckout() : temporaryFolder()
  const port = String(await freePort())
  const { script, steps, program, programSteps } = pageSteps(blocksOf(page), readyCommand(port))
  const nodes = program === '' ? [] : [process.execPath, ...oldestNode(page)]
  const before = new Set(readdirSync(checkout))
  const whole = `${installed === undefined ? READER : READER_OF_PACKAGES}${REMEMBER_TERMINAL}${STRICT_SHELL}\n${script}${program === '' ? '' : programScript(program, nodes)}`
  if (installed === undefined) writeCommonhold(home)
  const PATH = [home, installed?.env.PATH ?? path.dirname(process.execPath), process.env.PATH].join(path.delimiter)
  const COMMONHOLD_URL = `http://127.0.0.1:${port}`
  const environment = {
    PATH,
    HOME: home,
    READER_HOME: home,
    PORT: port,
    COMMONHOLD_URL,
    NODE_COMPILE_CACHE: COMPILED,
    ...OFFLINE_NPM,
  }
  const shell = spawn('bash', { cwd: checkout, env: { ...environment, ...given }, timeout: PAGE_MS_MAX })
  const output = Promise.all([text(shell.stdout), text(shell.stderr)])
  shell.stdin.on('error', () => {}) // it stops reading when a step fails
  shell.stdin.end(whole.replaceAll(ADDRESS, `127.0.0.1:${port}`))
  try {
    const [stdout = ''] = await output
    const asShown = stdout
      .replaceAll(`127.0.0.1:${port}`, ADDRESS)
      .replaceAll(checkout, CHECKOUT)
      .replaceAll(PROGRESS, '')
    const added = readdirSync(checkout).filter((name) => !before.has(name) && isInCheckout(name))
    const left = installed === undefined && /\bin a checkout\b/i.test(page) ? added : []
    return { steps: [...steps, ...nodes.flatMap(() => programSteps)], printed: asShown.split(END_OF_STEP), left }
  } finally {
    endTerminals(path.join(home, 'groups'))
  }
}

/** The lines that exports and imports print every ten seconds: on a slow machine a step has such lines, which no page shows. */
const PROGRESS = /^(?:line [\d,]+: )?[\d,]+ records, (?:[\d,]+ refused|[\d.]+ [kM]B)\n/gm

/** The packages of the checkout are there. */
const READER = 'npm() { [ "$1" = ci ] || command npm "$@"; }\n'

/** Without a checkout, the scripts of the checkout are commands of the package. */
const READER_OF_PACKAGES = `npm() {
  case "$1 \${2-}" in
    'ci ') ;;
    'start ') commonhold serve ;;
    'run cli') shift 3; commonhold "$@" ;;
    *) command npm "$@" ;;
  esac
}
npx() { shift; commonhold "$@"; }
export -f npm npx
`

/** Creates a folder with the contents of a checkout. Files that a reader writes there are only in this folder. */
function newCheckout(): string {
  const folder = path.join(temporaryFolder(), path.basename(CHECKOUT))
  for (const [name, isNeeded] of Object.entries({ '.': isInCheckout, node_modules: () => true })) {
    mkdirSync(path.join(folder, name), { recursive: true })
    for (const entry of readdirSync(path.join(ROOT, name), { withFileTypes: true })) {
      const copy = entry.isDirectory() ? symlinkSync : copyFileSync
      if (isNeeded(entry.name)) copy(path.join(ROOT, name, entry.name), path.join(folder, name, entry.name))
    }
  }
  return folder
}

/** Waits until the server of the page responds, and fails if it ends before. */
const readyCommand = (port: string): string =>
  `until curl -sfo /dev/null http://127.0.0.1:${port}/readyz; do kill -0 $!; sleep 0.1; done`

/** Returns the oldest Node that the page names, if this machine has it. */
function oldestNode(page: string): string[] {
  const [, major] = /\bNode (\d+) (?:and|or) later/.exec(page) ?? []
  const older = major === undefined ? undefined : olderNode(Number(major))
  return older === undefined ? [] : [older]
}

/** Compiles the program in the folder in which the page ended, and runs it: with its types stripped, and compiled for an older Node. */
function programScript(program: string, nodes: readonly string[]): string {
  const save = (file: string, content: string) => `cat > ${file} <<'END-OF-FILE'\n${content}\nEND-OF-FILE\n`
  const configs = Object.entries(LIBRARIES).map(([name, lib]) => {
    const config = { compilerOptions: { ...OPTIONS, lib }, files: ['page.ts'] }
    return `${save(`tsconfig.${name}.json`, JSON.stringify(config))}node '${TSC}' -p tsconfig.${name}.json\n`
  })
  const runs = nodes.map((node) => `'${node}' ${node === process.execPath ? 'page.ts' : 'page.js'}\n`)
  return save('page.ts', program) + configs.join('') + runs.join('')
}

/** Ends the commands that run in other terminals. */
function endTerminals(list: string): void {
  if (!existsSync(list)) return
  for (const group of readFileSync(list, 'utf8').trim().split('\n'))
    try {
      process.kill(-Number(group), 'SIGTERM')
    } catch {} // it has ended
}
