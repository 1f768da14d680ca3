/** What `doctor` reports: the outcome of each check. */
import type { Exit } from '../exit-codes.ts'

export type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Check {
  check: string
  outcome: Outcome
  says: string
  next?: string
  exit?: Exit
}

export const ok = (check: string, says: string): Check => ({ check, outcome: 'ok', says })
export const warning = (check: string, says: string, next: string): Check => ({ check, outcome: 'warning', says, next })
export const failed = (check: string, exit: Exit, says: string, next: string): Check => ({
  check,
  outcome: 'failed',
  says,
  next,
  exit,
})
export const skipped = (check: string, says: string): Check => ({ check, outcome: 'skipped', says })
