/**
 * Builds the programs that tests run in their packaged form (the console, the command line, the server), if a build is
 * missing or older than its sources.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../scripts/root.ts'
import { patient } from '../run/mode.ts'

interface Build {
  script: string
  /** The file that the build writes last. */
  result: string
  sources: string[]
}

const CONSOLE: Build = {
  script: 'scripts/build-console.ts',
  result: 'console/dist/index.html',
  sources: [
    'console/src/**',
    'console/*.{html,ts}',
    '{contract,moving,sdk,components}/**/*.ts',
    'scripts/{client-package,comments-package,packages}.ts',
  ],
}

const SITE: Build = {
  script: 'scripts/build-site.ts',
  result: 'site/dist/inline.json',
  sources: [
    'docs/**/*.md',
    '*.md',
    '{sdk,components,clients/*,deploy/helm/*}/README.md',
    'site/.vitepress/**/*.ts',
    'scripts/site/*.ts',
  ],
}

const COMMONHOLD: Build = {
  script: 'scripts/build-cli.ts',
  result: 'cli/dist/package.json',
  sources: ['{cli,contract,moving,sdk,server}/**/*.ts', 'db/migrations/*', CONSOLE.result, 'package-lock.json'],
}

const CRASHING: Build = {
  script: 'scripts/build-crashing.ts',
  result: 'node_modules/.cache/commonhold/crashing/complete',
  sources: ['{cli,contract,moving,sdk,server,testing}/**/*.ts', 'test/crash/*.ts', 'package-lock.json'],
}

const WAIT_MS = 200
const WAIT_MS_MAX = patient(180_000)

/**
 * The packages that other builds and tests make of the sources are no sources: otherwise a test that packs the client would
 * let all others build anew, and servers would be started from a folder that is being written.
 */
const NO_SOURCES = '{cli,components,sdk}/dist/**'

const changedAt = (file: string): number => statSync(path.resolve(ROOT, file)).mtimeMs

function isBuilt({ script, result, sources }: Build): boolean {
  if (!existsSync(path.join(ROOT, result))) return false
  const built = changedAt(result)
  const isOlder = (file: string) => changedAt(file) <= built
  return isOlder(script) && globSync(sources, { cwd: ROOT, exclude: [NO_SOURCES] }).every(isOlder)
}

export const ensureConsole = (): Promise<void> => ensure(CONSOLE)
export const ensureSite = (): Promise<void> => ensure(SITE)

/** The package of the command line and the server: its processes start in less than half the time of the sources. */
export async function ensureCommonhold(): Promise<void> {
  await ensureConsole()
  await ensure(COMMONHOLD)
}

let crashing: Promise<void> | undefined

/** Returns the folder of the processes that die in tests. */
export async function ensureCrashing(): Promise<string> {
  crashing ??= ensure(CRASHING)
  await crashing
  return path.join(ROOT, path.dirname(CRASHING.result))
}

/**
 * Test files that start concurrently take a lock, and the first one builds. A killed process leaves its lock behind, which
 * then counts no more; that of a slow one counts as long as it builds.
 */
async function ensure(wanted: Build): Promise<void> {
  const hash = createHash('sha256').update(path.join(ROOT, wanted.script)).digest('hex')
  const lock = path.join(os.tmpdir(), `commonhold-build-${hash.slice(0, 12)}`)
  const end = Date.now() + WAIT_MS_MAX
  while (existsSync(lock) || !isBuilt(wanted)) {
    if (Date.now() > end) throw new Error(`${wanted.script} is not done; if nobody is building, remove ${lock}`)
    if (isAbandoned(lock)) rmSync(lock, { force: true })
    if (!take(lock)) {
      await sleep(WAIT_MS)
      continue
    }
    try {
      run(wanted)
    } finally {
      rmSync(lock, { force: true })
    }
  }
}

export function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

/** Returns whether the process that took the lock is gone. Just after it was taken, the lock is empty. */
export function isAbandoned(lock: string): boolean {
  try {
    const text = readFileSync(lock, 'utf8')
    if (text !== '') process.kill(Number(text), 0)
    return false
  } catch (error) {
    return !['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

function run({ script }: Build): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' }, // not the environment of the tests, in which packages run other code
  })
  if (status !== 0) throw new Error(`${script} failed\n${stdout}\n${stderr}`)
}
