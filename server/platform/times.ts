/** SQL that compares times. */

/**
 * Whether a time is one of the last moments, `interval` long, until `now`. A later time was stored before the clock was set
 * back, and counts as long past: otherwise a limit, or a pause, would last until the clock has come there once more
 * (rules/data.md#one-clock). Null for null.
 */
export const isWithin = (time: string, interval: string, now: string): string =>
  `(${time} > ${now} - ${interval} and ${time} <= ${now})`
