/** Usage as rows of CSV, the same in the console and on the command line. Not part of the published package. */
import type { UsagePeriod } from '../generated/operations.ts'

type Counted = Exclude<keyof UsagePeriod, 'period' | 'startsAt'>

/** The counts in the order of the columns, with their names for people. */
export const USAGE_LABELS: Readonly<Record<Counted, string>> = {
  calls: 'Calls',
  refused: 'Refused',
  failed: 'Failed',
  checks: 'Checks',
  activeUsers: 'Active users',
  organizations: 'Organizations',
  documents: 'Documents',
  users: 'Users',
  threads: 'Threads',
  mails: 'Mails',
  webhooks: 'Webhooks',
}

export const USAGE_COUNTS = Object.keys(USAGE_LABELS) as Counted[]

export const USAGE_COLUMNS = ['period (UTC)', ...Object.values(USAGE_LABELS).map((label) => label.toLowerCase())]

/** Returns the cells of a period; a count that does not exist is empty. */
export const usageCells = (usage: UsagePeriod): string[] => [
  usage.period,
  ...USAGE_COUNTS.map((what) => String(usage[what] ?? '')),
]
