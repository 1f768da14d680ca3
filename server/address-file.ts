/** The file with the address of an embedded server, in its data folder: programs find the server there, at any port. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from './config.ts'

/** Writes the address; returns what removes it. With PostgreSQL there is no data folder, and nothing is written. */
export function writeAddress({ DATABASE_URL, DATA_DIR }: Config, url: string): () => void {
  if (DATABASE_URL !== undefined) return () => {}
  const file = addressFile(DATA_DIR)
  writeFileSync(file, `${url}\n`)
  return () => rmSync(file, { force: true })
}

/** Returns the address that a server of the folder has written; undefined while it starts, or if it may not be read. */
export function readAddress(folder: string): string | undefined {
  try {
    return readFileSync(addressFile(folder), 'utf8').trim()
  } catch {
    return undefined // the sentence that needs the address is complete without it
  }
}

const addressFile = (folder: string): string => path.join(folder, 'address')
