/** Deletions of what may be gone already, because another person, or another tab, has deleted it: that is what was wanted. */
import { CommonholdError } from '#sdk/errors.ts'
import type { BatchResult } from '#sdk/generated/operations.ts'
import { Refused, throwIfRefused } from './batch.ts'

export interface Deletion {
  /** There was nothing left to delete. */
  wasGone: boolean
}

/** Whether a call failed because the record, or what it was in, does not exist. */
const isGone = (error: unknown): boolean =>
  error instanceof Refused
    ? error.code === 'not-found'
    : error instanceof CommonholdError && error.reason.endsWith('_does_not_exist')

/** Deletes one record. */
export async function deleteOne(call: () => Promise<unknown>): Promise<Deletion> {
  try {
    await call()
    return { wasGone: false }
  } catch (error) {
    if (!isGone(error)) throw error
    return { wasGone: true }
  }
}

/** Returns the number of deleted items. Throws when one was refused that still exists. */
export function countDeleted(result: BatchResult): number {
  throwIfRefused(Object.fromEntries(Object.entries(result).filter(([, { code }]) => code !== 'not-found')))
  return Object.values(result).filter(({ success }) => success).length
}

/** `deletionOf('The group', deletion)`; the last argument is the participle. */
export const deletionOf = (what: string, { wasGone }: Deletion, done = 'deleted'): string =>
  wasGone ? `${what} had already been ${done}.` : `${what} was ${done}.`
