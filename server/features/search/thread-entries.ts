/**
 * Reads the comments of threads that a search finds: in the order of their keys, or from the index of words if few
 * comments have all words (ADR 0061).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Session } from '#platform/db/db.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import {
  type CommentRow,
  FIND_SEEN,
  LOOK_UP_COMMENTS,
  LOOK_UP_COMMENTS_OF_ORGANIZATION,
  SCAN_COMMENTS,
  SCAN_COMMENTS_OF_ORGANIZATION,
} from './thread-statements.ts'

/** They are all comments of a small data set, and fill a page if every tenth matches. More would be slow where texts are long. */
const FIRST_SCAN_COMMENTS = 200

/** If the first scan finds fewer, it does not show how frequent the word is. */
const FREQUENT_IN_FIRST_SCAN = 3
const COMMENTS_LEFT = LIMITS.searchCommentsExaminedPerPageMax - FIRST_SCAN_COMMENTS

/** Threads that are decided about at a time. */
const DECIDED_AT_ONCE = 500

/** With more, reading them in no order costs more than scanning comments in order. */
const INDEXED_COMMENTS_MAX = 5_000

const ZEROS = '00000000-0000-0000-0000-000000000000'
/** After all comments of a thread. */
export const LAST_COMMENT = '9223372036854775807'

/** Before all comments. */
export const START: CommentRow = {
  organizationKey: ZEROS as OrganizationKey,
  resourceKey: ZEROS,
  annotationId: '',
  commentId: '0',
}

/** The user whose threads are found, and what decides about them. */
export type Reader = Pick<UserCaller, 'userId' | 'defaultAccessType' | 'defaultAccessRole'>

export interface ThreadQuery {
  apiKeyId: ApiKeyId
  /** Undefined: of all organizations. */
  organizationKey: OrganizationKey | undefined
  query: string
  /** Undefined: every thread is found. */
  reader: Reader | undefined
  after: CommentRow
  pageSize: number
}

export type Patterns = readonly [words: readonly string[], parts: readonly string[]]

export interface FoundThreads {
  found: CommentRow[]
  /** The position where the scan ended, if it did: later comments were not examined. */
  scanEnd?: CommentRow | undefined
}

/**
 * Returns a comment of each thread that matches, in the order of their keys: at most one more than a page. If so many
 * match that a scan fills the page, the index would find too many.
 */
export async function readThreads(
  db: Pick<Session, 'run' | 'runSet'>,
  query: ThreadQuery,
  patterns: Patterns,
): Promise<FoundThreads> {
  const first = await scan(db, query, patterns, FIRST_SCAN_COMMENTS)
  if (isEnough(first, query)) return first
  const needed = ((query.pageSize + 1 - first.found.length) * FIRST_SCAN_COMMENTS * 2) / first.found.length
  const isFrequent = first.found.length >= FREQUENT_IN_FIRST_SCAN && needed < COMMENTS_LEFT
  const more = isFrequent ? await scanOn(db, query, patterns, first, Math.ceil(needed)) : first
  if (isEnough(more, query)) return more
  const found = await lookUp(db, query, patterns)
  if (found !== undefined) return { found }
  return scanOn(db, query, patterns, more, COMMENTS_LEFT - (isFrequent ? Math.ceil(needed) : 0))
}

const isEnough = ({ found, scanEnd }: FoundThreads, { pageSize }: ThreadQuery): boolean =>
  found.length > pageSize || scanEnd === undefined

/** Continues a scan. */
async function scanOn(
  db: Pick<Session, 'run' | 'runSet'>,
  query: ThreadQuery,
  patterns: Patterns,
  { found, scanEnd = query.after }: FoundThreads,
  budget: number,
): Promise<FoundThreads> {
  const last = found.at(-1)
  const isInThread = last !== undefined && isSameThread(last, scanEnd)
  const after = isInThread ? { ...scanEnd, commentId: LAST_COMMENT } : scanEnd
  const rest = await scan(db, { ...query, after }, patterns, budget)
  return { ...rest, found: [...found, ...rest.found] }
}

async function scan(
  db: Pick<Session, 'run' | 'runSet'>,
  query: ThreadQuery,
  patterns: Patterns,
  budget: number,
): Promise<FoundThreads> {
  const statement = query.organizationKey === undefined ? SCAN_COMMENTS : SCAN_COMMENTS_OF_ORGANIZATION
  const rows = await db.run(statement, [...commonValues(query, patterns), budget, ...organizationOf(query)])
  const found = await seen(
    db,
    query,
    rows.filter(({ matches }) => matches),
  )
  return { found, scanEnd: rows.find(({ isScanEnd }) => isScanEnd) }
}

/** Returns undefined if the index finds too many comments. */
async function lookUp(
  db: Pick<Session, 'run' | 'runSet'>,
  query: ThreadQuery,
  patterns: Patterns,
): Promise<CommentRow[] | undefined> {
  const statement = query.organizationKey === undefined ? LOOK_UP_COMMENTS : LOOK_UP_COMMENTS_OF_ORGANIZATION
  const values = [...commonValues(query, patterns), INDEXED_COMMENTS_MAX, ...organizationOf(query)]
  const rows = await db.run(statement, values)
  if ((rows[0]?.found ?? 0) > INDEXED_COMMENTS_MAX) return undefined
  return seen(
    db,
    query,
    rows.flatMap((row) => (row.organizationKey === null ? [] : [row])),
  )
}

/** Returns the threads that the reader sees, at most one more than a page. */
async function seen(
  db: Pick<Session, 'run' | 'runSet'>,
  { reader, pageSize }: ThreadQuery,
  rows: readonly CommentRow[],
): Promise<CommentRow[]> {
  if (reader === undefined || rows.length === 0) return [...rows]
  const { userId, defaultAccessType, defaultAccessRole } = reader
  const found: CommentRow[] = []
  for (let first = 0; first < rows.length && found.length <= pageSize; first += DECIDED_AT_ONCE) {
    const some = rows.slice(first, first + DECIDED_AT_ONCE)
    const asked = some.map(({ organizationKey, resourceKey, annotationId }) => ({
      ...{ organizationKey, resourceKey, annotationId },
      ...{ userId, defaultAccessType, defaultAccessRole },
    }))
    found.push(...(await db.runSet(FIND_SEEN, asked)).flatMap(({ index }) => some[index] ?? []))
  }
  return found
}

/** With a reader all that match are listed, because some of them may be hidden. */
const commonValues = ({ apiKeyId, after, reader, pageSize }: ThreadQuery, [words, parts]: Patterns): unknown[] => [
  apiKeyId,
  after.organizationKey,
  after.resourceKey,
  after.annotationId,
  after.commentId,
  words,
  parts,
  // The last comment of a scan is listed too, and may not match.
  reader === undefined ? pageSize + 2 : null,
]

const organizationOf = ({ organizationKey }: ThreadQuery): unknown[] =>
  organizationKey === undefined ? [] : [organizationKey]

export const isSameThread = (one: CommentRow, other: CommentRow): boolean =>
  one.organizationKey === other.organizationKey &&
  one.resourceKey === other.resourceKey &&
  one.annotationId === other.annotationId
