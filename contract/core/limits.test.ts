/** Tests how numbers are written in descriptions. */
import { expect, test } from 'vitest'
import { LIMITS, thousands } from './limits.ts'

test('integers have commas as in English formats', () => {
  const counts = [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1_000, ...Object.values(LIMITS)]
  for (const count of counts) expect(thousands(count)).toBe(count.toLocaleString('en'))
})
