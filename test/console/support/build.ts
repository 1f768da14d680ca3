/** Builds the console for the tests when the build is missing or older than its sources. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../../scripts/root.ts'

const PAGE = path.join(ROOT, 'console/dist/index.html')
const SOURCES = ['console/src/**', 'console/*.{html,ts}', 'sdk/**/*.ts', 'scripts/build-console.ts']
const WAIT_MS = 200
const BUILD_MS_MAX = 60_000
const WAIT_MS_MAX = 180_000

/** Test files that start concurrently take this lock, and the first one builds. A killed process leaves it behind. */
const LOCK = path.join(
  os.tmpdir(),
  `commonhold-console-${createHash('sha256').update(ROOT).digest('hex').slice(0, 12)}`,
)

const changedAt = (file: string): number => statSync(file).mtimeMs

function isBuilt(): boolean {
  if (!existsSync(PAGE)) return false
  const built = changedAt(PAGE)
  return globSync(SOURCES, { cwd: ROOT }).every((file) => changedAt(path.join(ROOT, file)) <= built)
}

export async function ensureConsole(): Promise<void> {
  const end = Date.now() + WAIT_MS_MAX
  while (existsSync(LOCK) || !isBuilt()) {
    if (Date.now() > end) throw new Error(`the console is not built; if nobody is building it, remove ${LOCK}`)
    if (existsSync(LOCK) && changedAt(LOCK) < Date.now() - BUILD_MS_MAX) rmSync(LOCK, { recursive: true, force: true })
    if (!lock()) {
      await sleep(WAIT_MS)
      continue
    }
    try {
      build()
    } finally {
      rmSync(LOCK, { recursive: true, force: true })
    }
  }
}

function lock(): boolean {
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    return false
  }
}

function build(): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build-console.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the console could not be built\n${stdout}\n${stderr}`)
}
