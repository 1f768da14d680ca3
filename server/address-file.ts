/** The address of an embedded server, in its data folder: programs in that folder find the server whatever its port is. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from './config.ts'

/** Writes the address; returns what removes it. With PostgreSQL there is no data folder, and nothing is written. */
export function writeAddress({ DATABASE_URL, DATA_DIR }: Config, url: string): () => void {
  if (DATABASE_URL !== undefined) return () => {}
  const file = path.join(DATA_DIR, 'address')
  writeFileSync(file, `${url}\n`)
  return () => rmSync(file, { force: true })
}
