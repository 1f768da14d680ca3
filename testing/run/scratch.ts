/**
 * The folder for stores that need not survive a crash of the machine: in memory if there is room, because creating and
 * deleting files is slow.
 */
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const IN_MEMORY = '/dev/shm'
const PREFIX = 'commonhold-tests-'
/** The size of the folder, and of the memory behind it. */
const FREE_BYTES_MIN = 4 * 1024 ** 3

/** The database of which the stores of tests are copies. */
export const TEMPLATE_DATABASE = 'commonhold_template'

/**
 * The folder of this run; the workers inherit it. Each store has about 700 files; creating and deleting them on a disk took an
 * eighth of the CPU time of the tests.
 */
export const scratch = (): string => process.env.TEST_SCRATCH ?? os.tmpdir()

/** Creates the folder of a run. Returns the function that removes it. */
export function openScratch(): () => void {
  if (!hasRoom(IN_MEMORY)) return () => {}
  removeLeftovers()
  const folder = mkdtempSync(path.join(IN_MEMORY, `${PREFIX}${process.pid}-`))
  chmodSync(folder, 0o711) // the user that PostgreSQL runs as has a folder inside
  process.env.TEST_SCRATCH = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return Math.min(bavail * bsize, process.availableMemory()) >= FREE_BYTES_MIN
  } catch {
    return false
  }
}

/** Removes folders that killed runs have left. */
function removeLeftovers(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const [, pid] = /^commonhold-tests-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(path.join(IN_MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
