/** Whether two ids are nearly the same, so that one of them is probably a misspelling of the other. */
import { distance } from 'fastest-levenshtein'
import { plain } from '../core/metadata.ts'

/** Longer ids are not compared: that would cost more than it helps. */
const COMPARED_CHARACTERS_MAX = 200

/** One letter of an id may differ for each five letters of it. */
const LETTERS_FOR_EACH = 5

/** Returns whether two ids differ only by two exchanged letters, which an edit distance counts as two. */
const isExchanged = (one: string, other: string): boolean =>
  distance(one, other) === 2 && [...one].sort().join('') === [...other].sort().join('')

const withoutDigits = (id: string): string => id.replaceAll(/\d+/g, '')

/** Case and punctuation do not distinguish ids here. Ids that differ in their digits alone are of a series, not misspelt. */
export function isNearId(one: string, other: string): boolean {
  if (Math.max(one.length, other.length) > COMPARED_CHARACTERS_MAX) return false
  const [left, right] = [plain(one), plain(other)]
  if (left === '' || right === '') return false
  if (left === right) return true
  if (withoutDigits(left) === withoutDigits(right)) return false
  const mayDiffer = Math.floor(Math.max(left.length, right.length) / LETTERS_FOR_EACH)
  return distance(left, right) <= mayDiffer || (mayDiffer > 0 && isExchanged(left, right))
}
