/** Times as people say them: “3 minutes ago”, with the exact time beside it. */

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** Returns how long ago a moment in milliseconds was; from a week on, its date. */
export function ago(moment: number, locale: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - moment) / 1_000)
  if (seconds >= 7 * 86_400) return new Date(moment).toLocaleDateString(locale, { dateStyle: 'medium' })
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of STEPS) if (seconds >= size) return words.format(-Math.floor(seconds / size), unit)
  return words.format(0, 'second')
}

export const exactly = (moment: number, locale: string): string =>
  new Date(moment).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' })
