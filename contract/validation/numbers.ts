/**
 * Finds numbers that would not be returned as they were sent (rules/contract.md#numbers). JavaScript stores a number as
 * a double, so it reads 9007199254740993 as 9007199254740992: an id that is sent as such a number would become another
 * id.
 */

import { hasRepeated, repeatedName } from './repeated.ts'

/** From here on, JavaScript writes a number with an exponent, as in `1e+21`. */
const EXPONENT_FROM = 1e21

/**
 * A number of at least 16 characters, or one with an exponent: no other can be changed. In JSON, one of these
 * characters is before it, or nothing.
 */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d(?:[\d.]*[eE]|[\d.]{15})/

/** Returns whether a value, as JavaScript has read it, may have been another integer: from 2⁵³ on, several integers are one double. */
export const isDoubtful = (value: number): boolean =>
  Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < EXPONENT_FROM

/**
 * Returns whether the text of a number is an integer that JavaScript would write differently, such as
 * 1267650600228229401496703205376. A caller who writes 6.02e23 means a double, and gets it back.
 */
export function isChanged(text: string): boolean {
  const value = Number(text)
  if (Math.abs(value) < EXPONENT_FROM || !Number.isFinite(value)) return isDoubtful(value)
  const { digits, exponent } = decimalOf(text)
  const kept = decimalOf(String(value))
  return exponent >= 0 && (digits !== kept.digits || exponent !== kept.exponent)
}

/** Returns the digits of a number without zeros around them, and the power of ten that they are multiplied by. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + fraction
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  return { digits: digits.slice(start, end), exponent: Number(power) - fraction.length + digits.length - end }
}

/**
 * Parses JSON that is valid. Each integer that would be changed is a bigint in the result, which `unstorable` names
 * with its field. Recognizing them by their text takes five times as long, so a text without long numbers is parsed as
 * usual.
 */
export const parseMarked = (json: string): unknown => parseWith(json, (text) => BigInt(Math.sign(Number(text))))

/** Parses JSON; throws a SyntaxError also where it has an integer that would be changed, or an object with a name twice. */
export function parseUnchanged(json: string): unknown {
  const value = parseWith(json, (text) => {
    throw new SyntaxError(`it has the number ${text.slice(0, 40)}; a number ${MUST_NOT_CHANGE}`)
  })
  const repeated = repeatedName(json, value)
  if (repeated !== undefined) throw new SyntaxError(hasRepeated(repeated))
  return value
}

const parseWith = (json: string, onChanged: (text: string) => unknown): unknown =>
  LONG_NUMBER.test(json)
    ? JSON.parse(json, (_key, value, context?: { source?: string }) => {
        if (typeof value !== 'number') return value
        const text = context?.source ?? String(value)
        return isChanged(text) ? onChanged(text) : value
      })
    : JSON.parse(json)

/** The fault of such a number. */
export const MUST_NOT_CHANGE = `must not be an integer beyond ${Number.MAX_SAFE_INTEGER}, which programs do not keep exactly; write it as a string`
