/**
 * The files that a command keeps beside a file of the user. A link in their place, which may have come with that file or be of
 * another user of the folder, is never followed: it would lead the command to overwrite any file.
 */
import { constants, createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { appendFile, open, rm, writeFile } from 'node:fs/promises'

/** Windows has no such flag, and links there need a privilege. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0

/** Writes a file anew. */
export async function writeOwn(path: string, text: string): Promise<void> {
  await rm(path, { force: true })
  await writeFile(path, text, { flag: 'wx' })
}

/** Returns a stream that writes a file anew; a failure is an error of the stream. */
export function ownStream(path: string): WriteStream {
  try {
    rmSync(path, { force: true })
  } catch {} // the stream says why
  return createWriteStream(path, { flags: 'wx' })
}

export const appendOwn = (path: string, text: string): Promise<void> =>
  appendFile(path, text, { flag: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW })

export async function truncateOwn(path: string, bytes: number): Promise<void> {
  const file = await open(path, constants.O_WRONLY | NO_FOLLOW)
  await file.truncate(bytes).finally(() => file.close())
}
