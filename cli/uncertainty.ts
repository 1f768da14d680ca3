/** Whether a call that failed may have been made. */
import { STARTING } from '#contract/core/status.ts'
import { METHODS } from '#sdk/generated/methods.ts'

interface Failed {
  status?: string | undefined
  message: string
  requestId?: string | undefined
}

/** Returns whether the response is from a server that is starting, which makes no calls. */
export const isStarting = ({ requestId }: Pick<Failed, 'requestId'>): boolean => requestId === STARTING

/** Returns whether a call that failed with this may have been made: no response of the server says that it was not. */
export const isUncertain = (failed: Failed): boolean =>
  ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL'].includes(failed.status ?? '') &&
  !isStarting(failed) &&
  !/\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)/.test(failed.message)

/** Returns whether a method of a client, such as `documents.add`, changes something. */
export function changes(method: string): boolean {
  const [group = '', verb = ''] = method.split('.')
  const tables: readonly Readonly<Record<string, Readonly<Record<string, string>>>>[] = Object.values(METHODS)
  return tables.some((groups) => / (keyed|once)/.test(groups[group]?.[verb] ?? ''))
}
