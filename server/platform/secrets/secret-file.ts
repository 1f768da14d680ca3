/** A file with a secret that only its owner can read. If the process dies while it writes the file, nothing is left under its name. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Returns the text of the file. If there is none, `create` makes it. */
export function readOrCreateSecret(file: string, create: () => string): string {
  if (!existsSync(file)) {
    mkdirSync(path.dirname(file), { recursive: true })
    const partial = `${file}.partial`
    rmSync(partial, { force: true })
    writeFileSync(partial, `${create()}\n`, { mode: 0o600, flush: true })
    renameSync(partial, file)
  }
  // The error about a folder of this name, which only the call for its content gets, would not name it.
  if (statSync(file).isDirectory())
    throw Object.assign(new Error(`${file} is a folder`), { syscall: 'read', path: file })
  return readFileSync(file, 'utf8').trim()
}
