/**
 * Issues credentials: a prefix that names the kind, 27 random base62 characters (160 bits), and a CRC-32 of both in the last
 * 6 characters, so that typing errors and random guesses are recognized without a query.
 */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type TokenPrefix = 'chk_test_' | 'chk_live_' | 'cht_' | 'chw_' | 'cho_' | 'chs_'

/** Published for secret scanners. API keys (`chk_`) are identifiers, the others are secrets. */
export const TOKEN_PATTERN = /\b(?:chk_test_|chk_live_|cht_|chw_|cho_|chs_)[0-9A-Za-z]{33}\b/

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 27
const CHECKSUM_CHARACTERS = 6

export function createToken(prefix: TokenPrefix): string {
  const body = prefix + randomBase62(RANDOM_CHARACTERS)
  return body + checksum(body)
}

/** Returns whether a token has the form and the checksum of one from `createToken`, without a query. */
export function isWellFormedToken(token: string): boolean {
  const body = token.slice(0, -CHECKSUM_CHARACTERS)
  return TOKEN_PATTERN.exec(token)?.[0] === token && checksum(body) === token.slice(-CHECKSUM_CHARACTERS)
}

/** Returns whether a well-formed token is the session of a command line, which is sent in place of a token (ADR 0047). */
export const isCommandLineSession = (token: string): boolean => token.startsWith('chs_') && isWellFormedToken(token)

/** Returns the hash that tokens are looked up by. A secret of 160 random bits needs no slow hash. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer')

const SHOWN_CHARACTERS = 4

/** Returns the beginning of a token, by which a person recognizes it. It leaves 136 of its 160 random bits unknown. */
export const shownPrefix = (token: string): string => token.slice(0, token.lastIndexOf('_') + 1 + SHOWN_CHARACTERS)

export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62] // 248 = 4 × 62: every character is equally likely
    }
  return text
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_CHARACTERS; digit++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** The prefix of the stored `Idempotency-Key` of a user: no user gets the stored response to the call of another. */
export const prefixOfUser = (userId: string): string => `${hash('sha256', userId)} `
