/** Describes the usage of a range in words, and compares it with the range before. */
import { type USAGE_COUNTS, USAGE_LABELS } from '#sdk/shared/usage-rows.ts'
import { plural } from '../../plural.ts'
import type { ShownPeriod, UsageRange } from './periods.ts'

export type Counted = (typeof USAGE_COUNTS)[number]

/** Counts at the end of a period, which are not the sum of its parts. */
const CONTENTS: readonly Counted[] = ['organizations', 'documents', 'users', 'threads']

export const succeededOf = ({ calls, refused, failed }: Pick<ShownPeriod, 'calls' | 'refused' | 'failed'>): number =>
  calls - refused - failed

const sumOf = <One>(all: readonly One[], of: (one: One) => number): number => all.reduce((sum, one) => sum + of(one), 0)

export function sentenceOf(what: Counted, periods: readonly ShownPeriod[]): string {
  if (what === 'calls') {
    const refused = sumOf(periods, (usage) => usage.refused)
    const failed = sumOf(periods, (usage) => usage.failed)
    return `${plural(sumOf(periods, succeededOf), 'call')} succeeded, ${refused.toLocaleString('en')} refused, ${failed.toLocaleString('en')} failed.`
  }
  const label = USAGE_LABELS[what].toLowerCase()
  if (CONTENTS.includes(what) || what === 'activeUsers') {
    const last = periods.at(-1)?.[what] ?? 0
    return `${last.toLocaleString('en')} ${label} in the current period.`
  }
  return `${sumOf(periods, (usage) => usage[what] ?? 0).toLocaleString('en')} ${label}.`
}

/**
 * Compares with the range before. Only finished periods are compared, because the current one is still growing;
 * contents are compared as they are now. Undefined if the range before is not known, or if nothing was counted in
 * either range.
 */
export function comparisonOf(what: Counted, periods: readonly ShownPeriod[], range: UsageRange): string | undefined {
  const { earlier, granularity } = range
  const finished = periods.slice(0, -1)
  const last = CONTENTS.includes(what) ? periods.at(-1) : finished.at(-1)
  if (earlier === undefined || last === undefined) return undefined
  if (CONTENTS.includes(what) || what === 'activeUsers') {
    const [now, before] = [last[what], last.before?.[what]]
    if (now === undefined || before === undefined) return undefined
    const where = what === 'activeUsers' ? `the last finished ${granularity}` : 'the current period'
    return `${now.toLocaleString('en')} in ${where}, ${differenceOf(now, before)} ${earlier} (${before.toLocaleString('en')}).`
  }
  const now = sumOf(finished, (usage) => usage[what] ?? 0)
  const before = sumOf(finished, (usage) => usage.before?.[what] ?? 0)
  const counted = `${now.toLocaleString('en')} in the ${plural(finished.length, `finished ${granularity}`)}`
  if (before === 0) return now === 0 ? undefined : `${counted}, but none ${earlier}.`
  return `${counted}, ${percentOf(now, before)} ${earlier} (${before.toLocaleString('en')}).`
}

function differenceOf(now: number, before: number): string {
  if (now === before) return 'as many as'
  return `${Math.abs(now - before).toLocaleString('en')} ${now > before ? 'more' : 'fewer'} than`
}

function percentOf(now: number, before: number): string {
  if (now === before) return 'as many as'
  const percent = Math.round((100 * Math.abs(now - before)) / before)
  if (percent === 0) return 'about as many as'
  return `${percent.toLocaleString('en')} % ${now > before ? 'more' : 'fewer'} than`
}
