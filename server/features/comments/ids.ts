/** Makes the ids of threads and comments for which the caller has none. */
import { randomBytes, randomInt } from 'node:crypto'

/** In the order of their codes, so ids sort by their time. */
const DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const TIME_DIGITS = 8
const RANDOM_DIGITS = 12

/** Returns an id of 20 characters, such as `-Oabc0DEfghi1JKlmn2`: the time in milliseconds, then 72 random bits. */
export function newThreadId(): string {
  let time = ''
  for (let rest = Date.now(), digit = 0; digit < TIME_DIGITS; digit++, rest = Math.floor(rest / 64))
    time = DIGITS.charAt(rest % 64) + time
  return time + [...randomBytes(RANDOM_DIGITS)].map((byte) => DIGITS.charAt(byte % 64)).join('')
}

/** Returns a number of six digits that is not among `taken`, and adds it there. A thread has no more than 10,000 comments. */
export function newCommentId(taken: Set<number>): number {
  for (;;) {
    const id = randomInt(100_000, 1_000_000)
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}
