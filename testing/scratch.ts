/** The folder for stores that no test crashes with the machine: in memory where the system has room for it, because files cost. */
import { accessSync, constants, statfsSync } from 'node:fs'
import os from 'node:os'

const IN_MEMORY = '/dev/shm'
const BYTES_WANTED = 4 * 1024 ** 3

/** Each store has about 700 files, which ext4 takes 50 ms of CPU to create and delete: an eighth of the work of all tests. */
export const SCRATCH = hasRoom(IN_MEMORY) ? IN_MEMORY : os.tmpdir()

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= BYTES_WANTED
  } catch {
    return false
  }
}
