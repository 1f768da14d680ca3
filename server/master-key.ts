/** The master key of an embedded installation: made at the first start, kept beside the data, readable by its owner alone. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from './config.ts'

export function masterKeyOf(dataDir: string): Buffer {
  const file = path.join(dataDir, 'master.key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true })
    const partial = `${file}.partial`
    rmSync(partial, { force: true })
    writeFileSync(partial, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
    renameSync(partial, file) // a key that was half written never has the final name
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== 32)
    throw new ConfigError(`${file} does not hold a key of 32 bytes as base64; restore it from a backup.`)
  return key
}
