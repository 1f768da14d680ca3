/**
 * Reports which parts of a file an import would refuse, change or omit, without a server. The file has answers of a hosted
 * service, or is one that `import` reads. Faults that depend on the target, such as an existing folder, are found only by the
 * import.
 */

import { normalizeDomain } from '#contract/keys/domain-names.ts'
import { MovingFailure } from '#moving/failure.ts'
import { exportEntries } from '#moving/files/entries.ts'
import { withFirstLine } from '#moving/files/lines.ts'
import type { DataRecord, ExportRecord } from '#moving/files/records.ts'
import { nameOf, type Remark } from '#moving/files/remarks.ts'
import { inUtc } from '../times.ts'
import { type ConvertOptions, convertAnswers } from './answers/convert.ts'
import { ANSWERS_FORMAT } from './answers/lines.ts'
import { CREATED_DISABLED, isNeverSent, neverSent } from './answers/settings.ts'

/** The result of a portion of lines, and the remarks about them. */
interface Checked {
  records: readonly ExportRecord[]
  remarks: readonly Remark[]
  /** The last line of the portion. */
  line: number
}

export type CheckedPortions = AsyncGenerator<Checked, string | undefined, undefined>

/** Yields portions; returns why the file is incomplete, if it is. Throws `MovingFailure` if the file is neither of the two. */
export async function* checkedPortions(source: AsyncIterable<Uint8Array>, options: ConvertOptions): CheckedPortions {
  const { firstLine, input } = await withFirstLine(source)
  const header = headerOf(firstLine)
  if (header.record === 'answers') {
    if (header.format === ANSWERS_FORMAT) return yield* convertAnswers(input, options)
    throw new MovingFailure(
      `The file has answers of format ${JSON.stringify(header.format)}; this version reads format ${ANSWERS_FORMAT}.`,
      'Write the file as the guide says.',
    )
  }
  return yield* checkedExport(input, header.of === 'workspace' ? 'workspace' : 'apiKey', options.nowSeconds)
}

/** Whether a file has answers of a hosted service. Any other file is read as an export. */
export const isAnswers = (firstLine: string): boolean => headerOf(firstLine).record === 'answers'

function headerOf(line: string): { record?: unknown; format?: unknown; of?: unknown } {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

async function* checkedExport(
  input: AsyncIterable<Uint8Array>,
  of: 'apiKey' | 'workspace',
  nowSeconds: number,
): CheckedPortions {
  const entries = exportEntries(input, of)
  for (;;) {
    const result = await entries.next()
    if (result.done === true) return result.value
    const records: ExportRecord[] = []
    const remarks: Remark[] = []
    let line = 0
    for (const entry of result.value) {
      line = entry.line
      if ('fault' in entry) {
        remarks.push({ line, outcome: 'refused', what: 'line', ...entry.fault })
        continue
      }
      const { record } = entry
      const found = isFrame(record) ? [] : remarksOn(record, nowSeconds)
      remarks.push(...found.map((remark) => ({ line, what: nameOf(record), ...remark })))
      if (!isFrame(record)) records.push(record)
    }
    yield { records, remarks, line }
  }
}

const isFrame = (record: ExportRecord): record is Exclude<ExportRecord, DataRecord> =>
  ['export', 'apiKey', 'end'].includes(record.record)

type OnRecord = Omit<Remark, 'line' | 'what'>

/** The effects of a valid record on a server beyond storing it. */
function remarksOn(record: DataRecord, nowSeconds: number): OnRecord[] {
  switch (record.record) {
    case 'domain':
      return onDomain(record.domain)
    case 'grant':
      return onGrant(record, nowSeconds)
    case 'webhookEndpoint':
      return onEndpoint(record)
    default:
      return []
  }
}

function onDomain(domain: string): OnRecord[] {
  const stored = normalizeDomain(domain)
  if (stored === domain) return []
  return [{ outcome: 'changed', reason: 'domain_normalized', message: `it is stored as ${stored}` }]
}

function onGrant({ expiresAt }: DataRecord & { record: 'grant' }, nowSeconds: number): OnRecord[] {
  if (expiresAt === undefined || expiresAt > nowSeconds) return []
  const at = inUtc(expiresAt * 1_000)
  return [{ outcome: 'changed', reason: 'expired', message: `it expired at ${at}, and is imported without effect` }]
}

function onEndpoint({ filterTypes }: DataRecord & { record: 'webhookEndpoint' }): OnRecord[] {
  const unsent = filterTypes?.filter(isNeverSent) ?? []
  return [
    { outcome: 'changed', reason: 'endpoint_disabled', message: CREATED_DISABLED },
    ...unsent.map(
      (type): OnRecord => ({ outcome: 'leftOut', reason: 'event_type_never_sent', message: neverSent(type) }),
    ),
  ]
}
