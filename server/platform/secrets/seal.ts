/**
 * Seals secrets at rest: AES-256-GCM with a key derived from the master key. A sealed secret opens only in the context it was
 * sealed for (table, column, row). It names its key, so that the master key can be rotated.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const NAME_BYTES = 16

/** Where a secret is stored, such as `auth_tokens.sealed` of one row. The seal authenticates it as additional data. */
export interface SealContext {
  column: string
  row: string
}

export interface Sealer {
  /** The bytes with which everything begins that the current key seals, and nothing else. */
  readonly mark: Buffer
  seal(secret: string, context: SealContext): Buffer
  /** Throws when the context or the bytes are wrong, or when the master key is unknown. */
  open(sealed: Buffer, context: SealContext): string
  /** Returns a name for a text, which is always the same until the master key changes, and which nobody without it can compute. */
  nameOf(text: string, context: SealContext): string
}

interface DerivedKey {
  id: Buffer
  key: Buffer
}

function derive(masterKey: Buffer): DerivedKey {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'commonhold seal v1', 32))
  return { key, id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) }
}

const aad = ({ column, row }: SealContext): Buffer => Buffer.from(`${column}\0${row}`)

/** Returns a sealer that seals with `current` and opens with `current` and each of `previous`. All are 32 bytes. */
export function createSealer(current: Buffer, previous: readonly Buffer[] = []): Sealer {
  const sealing = derive(current)
  const opening = [sealing, ...previous.map(derive)]
  const naming = Buffer.from(hkdfSync('sha256', current, Buffer.alloc(0), 'commonhold name v1', 32))
  const mark = Buffer.from([VERSION, ...sealing.id])
  return {
    mark,
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealing.key, nonce).setAAD(aad(context))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([mark, nonce, text, cipher.getAuthTag()])
    },
    open(sealed, context) {
      const nonceAt = 1 + KEY_ID_BYTES
      const textAt = nonceAt + NONCE_BYTES
      const id = sealed.subarray(1, nonceAt)
      const key = opening.find((candidate) => candidate.id.equals(id))
      if (sealed[0] !== VERSION || key === undefined)
        throw new Error(`${context.column} was sealed with another master key; add it to MASTER_KEY_PREVIOUS`)
      const decipher = createDecipheriv('aes-256-gcm', key.key, sealed.subarray(nonceAt, textAt))
        .setAAD(aad(context))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(textAt, -TAG_BYTES)), decipher.final()]).toString('utf8')
    },
    nameOf(text, context) {
      const mac = createHmac('sha256', naming).update(aad(context)).update('\0').update(text).digest()
      return mac.subarray(0, NAME_BYTES).toString('hex')
    },
  }
}
