/** Creates ids of 20 characters that sort by the time at which they were created, also within a millisecond of one process. */
import { randomBytes } from 'node:crypto'

/** The characters in the order of their bytes, so that ids sort in the collation of columns. */
const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const TIME_CHARACTERS = 8
const RANDOM_CHARACTERS = 12

let lastMs = 0
let random: number[] = []

/** Returns a new id, such as `-Oabc0DEfghi1JKlmn2`, that is greater than the previous one. */
export function createPushId(): string {
  const now = Math.max(Date.now(), lastMs)
  if (now === lastMs) increment(random)
  // The first bit is free, so that hundreds of thousands of ids of one millisecond fit.
  else random = [...randomBytes(RANDOM_CHARACTERS)].map((byte, index) => byte & (index === 0 ? 31 : 63))
  lastMs = now
  let time = ''
  for (let rest = now, left = TIME_CHARACTERS; left > 0; left--, rest = Math.floor(rest / 64))
    time = ALPHABET.charAt(rest % 64) + time
  return time + random.map((digit) => ALPHABET.charAt(digit)).join('')
}

/** Adds one to a number in base 64. */
function increment(digits: number[]): void {
  for (let at = digits.length - 1; at >= 0; at--) {
    const digit = (digits[at] ?? 0) + 1
    digits[at] = digit % 64
    if (digit < 64) return
  }
}
