/**
 * Reads a file of answers: items that the get operations of a hosted service returned, unchanged, one a line. The first line is
 * `{"record":"answers","format":1}`; a line `{"record":"answer","path","in","item"}` names the operation, and the organization
 * and resource of the call; the last line counts the others.
 */
import { parseUnchanged } from '#contract/validation/numbers.ts'
import { type Line, linesOf } from '#moving/files/lines.ts'

export const ANSWERS_FORMAT = 1

/** The fields of the request that say what an item is about. */
export interface Within {
  organizationId?: string
  folderId?: string
  documentId?: string
  userId?: string
}

export interface Answer {
  line: number
  /** The operation without `/v2/`: `organizations/documents/get`. */
  path: string
  within: Within
  item: unknown
}

export interface UnreadableLine {
  line: number
  fault: { reason: string; message: string }
}

/** Yields the items of a file in portions; returns why the file is incomplete, if it is. */
export async function* answerLines(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<(Answer | UnreadableLine)[], string | undefined, undefined> {
  let answers = 0
  let end: number | undefined
  for await (const lines of linesOf(input)) {
    const portion: (Answer | UnreadableLine)[] = []
    for (const one of lines) {
      const { number: line, isComplete } = one
      if (line === 1 || ('text' in one && one.text === '')) continue
      const read = readLine(one)
      if ('end' in read) end = read.end
      else if (!isComplete && 'fault' in read) {
        yield portion
        return `The file ends in the middle of line ${line}: it is truncated. ${AGAIN}`
      } else {
        answers++
        end = undefined
        portion.push({ line, ...read })
      }
    }
    if (portion.length > 0) yield portion
  }
  if (end === undefined) return `The file ends without its last line, {"record":"end",…}: it is truncated. ${AGAIN}`
  if (end !== answers)
    return `The last line counts ${end} records, but the file has ${answers}: it was changed. ${AGAIN}`
  return undefined
}

const AGAIN = 'Write it again from the service.'

type Read = Omit<Answer, 'line'> | Omit<UnreadableLine, 'line'> | { end: number }

const fault = (reason: string, message: string): Read => ({ fault: { reason, message } })

function readLine(line: Line): Read {
  if ('fault' in line) return { fault: line.fault }
  let value: unknown
  try {
    value = parseUnchanged(line.text)
  } catch (error) {
    return fault('not_json', `the line is not JSON: ${(error as Error).message}`)
  }
  const { record, records, path, in: within, item } = Object(value) as Record<string, unknown>
  if (record === 'end' && typeof records === 'number') return { end: records }
  if (record !== 'answer' || typeof path !== 'string')
    return fault('invalid_record', 'a line must be {"record":"answer","path":…,"in":…,"item":…}')
  return { path: path.replace(/^\/?(?:v2\/)?/, ''), within: Object(within ?? {}) as Within, item }
}
