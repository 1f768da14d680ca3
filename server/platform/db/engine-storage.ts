/** The space on the disk of the embedded engine. */
import { statfsSync } from 'node:fs'

/** The engine writes its log in files of 16 MB, and needs a new one when it recovers from a crash. */
export const RESERVED_BYTES = 24 * 1024 * 1024

/** Returns the bytes that may still be written in a folder. */
export function bytesAvailable(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export const isStorageLow = (folder: string): boolean => bytesAvailable(folder) < RESERVED_BYTES
