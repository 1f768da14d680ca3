/** The results of calls on several threads. */
import { type BatchResult, failed } from '#contract/core/envelope.ts'

/** Returns a success for each of the `asked` threads that are among `found`, and a failure for the others. */
export function threadResults(
  asked: readonly string[],
  found: ReadonlySet<string>,
  message: string,
  missing = 'There is no such thread.',
): BatchResult {
  return Object.fromEntries(
    asked.map((id) => [id, found.has(id) ? { success: true, id, message } : failed(id, 'not-found', missing)]),
  )
}
