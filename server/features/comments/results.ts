/** The results of calls on several threads. */
import { type BatchResult, failed } from '#contract/core/envelope.ts'

const DENIED = 'Only the author of the thread or an editor of the document may do this; some fields only the author.'

/** Returns a success for each of the `asked` threads that are among `found`, and a failure for the others, which the user may not change if they are `denied`. */
export function threadResults(
  asked: readonly string[],
  found: ReadonlySet<string>,
  message: string,
  { missing = 'There is no such thread.', denied }: { missing?: string | undefined; denied?: ReadonlySet<string> } = {},
): BatchResult {
  const resultOf = (id: string) =>
    denied?.has(id) ? failed(id, 'permission-denied', DENIED) : failed(id, 'not-found', missing)
  return Object.fromEntries(asked.map((id) => [id, found.has(id) ? { success: true, id, message } : resultOf(id)]))
}
