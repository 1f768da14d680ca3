/** Whether two ids are nearly the same, so that one of them is probably a misspelling of the other. */
import { isMisspelt, plain } from '../core/metadata.ts'

/** Longer ids are not compared: that would cost more than it helps. */
const COMPARED_CHARACTERS_MAX = 200

/** One letter of an id may differ for each five letters of it. */
const LETTERS_FOR_EACH = 5

const withoutDigits = (id: string): string => id.replaceAll(/\d+/g, '')

/** Case and punctuation do not distinguish ids here. Ids that differ in their digits alone are of a series, not misspelt. */
export function isNearId(one: string, other: string): boolean {
  if (Math.max(one.length, other.length) > COMPARED_CHARACTERS_MAX) return false
  const [left, right] = [plain(one), plain(other)]
  if (left === '' || right === '') return false
  if (left === right) return true
  if (withoutDigits(left) === withoutDigits(right)) return false
  return isMisspelt(left, right, Math.floor(Math.max(left.length, right.length) / LETTERS_FOR_EACH))
}
