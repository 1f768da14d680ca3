/** Creates the folders in which the command line keeps files of its own. */
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { wrongUsage } from './failures.ts'

/**
 * Creates a folder and those above it, for this user alone. `setting`: what names it. With `recursive`, Node never returns
 * from a folder that says, as `/proc` does, that what should be created in it does not exist.
 */
export function createFolder(folder: string, setting: string): void {
  try {
    create(folder)
  } catch (error) {
    throw wrongUsage(
      `The folder ${folder} cannot be created: ${(error as Error).message}.`,
      `Name another folder with ${setting}.`,
    )
  }
}

function create(folder: string): void {
  if (isFolder(folder)) return
  create(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!isFolder(folder)) throw error // else another process created it
  }
}

/** Throws if this user may not look. */
const isFolder = (found: string): boolean => statSync(found, { throwIfNoEntry: false })?.isDirectory() === true
