/**
 * Secrets at rest: AES-256-GCM under a key derived from the master key. What is sealed opens only in the place it was
 * sealed for (table, column, row), and names the key it was sealed with, so that the master key can be rotated.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Where a secret stands: `auth_tokens.sealed` of one row. Bound into the seal as additional data. */
export interface Place {
  column: string
  row: string
}

export interface Sealer {
  seal(secret: string, place: Place): Buffer
  /** Throws when the place, the bytes or every known master key is wrong. */
  open(sealed: Buffer, place: Place): string
}

interface DerivedKey {
  id: Buffer
  key: Buffer
}

function derive(masterKey: Buffer): DerivedKey {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'commonhold seal v1', 32))
  return { key, id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) }
}

const aad = ({ column, row }: Place): Buffer => Buffer.from(`${column}\0${row}`)

/** `current` seals; `previous`, if any, still opens. Both are 32 bytes. */
export function createSealer(current: Buffer, previous?: Buffer): Sealer {
  const sealing = derive(current)
  const opening = [sealing, ...(previous === undefined ? [] : [derive(previous)])]
  return {
    seal(secret, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealing.key, nonce).setAAD(aad(place))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([VERSION]), sealing.id, nonce, text, cipher.getAuthTag()])
    },
    open(sealed, place) {
      const nonceAt = 1 + KEY_ID_BYTES
      const textAt = nonceAt + NONCE_BYTES
      const id = sealed.subarray(1, nonceAt)
      const key = opening.find((candidate) => candidate.id.equals(id))
      if (sealed[0] !== VERSION || key === undefined)
        throw new Error(`${place.column} was sealed with another master key; set MASTER_KEY_PREVIOUS to it`)
      const decipher = createDecipheriv('aes-256-gcm', key.key, sealed.subarray(nonceAt, textAt))
        .setAAD(aad(place))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(textAt, -TAG_BYTES)), decipher.final()]).toString('utf8')
    },
  }
}
