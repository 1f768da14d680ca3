/** Searches the things of an API key, rank by rank and kind by kind, and then threads (rules/contract.md#search, ADR 0045, ADR 0061). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import {
  type EntryKind,
  type runSearch,
  SEARCH_KINDS,
  type SearchKind,
  type SearchResult,
} from '#contract/resources/search.ts'
import type { Kernel } from '#kernel'
import type { Paged } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { organizationKey as organizationKeyOf } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, ownerOfPages, requireOwnUser } from '#tenancy/callers/own-user.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { type EntryPosition, type EntryQuery, readEntries, START } from './entries.ts'
import { nearRanksOf, type Rank, ranksOf } from './ranks.ts'
import { DESCRIBE, type DescribedRow, type EntryRow, FOLD } from './statements.ts'
import { START as FIRST_COMMENT, type Reader } from './thread-entries.ts'
import type { CommentRow } from './thread-statements.ts'
import { findThreads } from './threads.ts'

/** The entries that a search reads at a time: one kind and rank. */
interface Step {
  /** The number of the rank. */
  nth: number
  rank: Rank
  kind: EntryKind
  after: EntryPosition
}

interface Found extends EntryRow {
  step: Step
}

type Tenant = Pick<EntryQuery, 'apiKeyId' | 'organizationKey'>

/** Ends the cursor of a search that has found something. */
const HAS_FOUND = ' found'

/** The typos that a word may have (`nearOf`). */
const TYPOS_IN_WORD_MAX = 2

const NOTHING: { found: Found[]; end?: string } = { found: [] }

/** After all entries of a kind. */
const END: EntryPosition = { place: 'f'.repeat(32), entryKey: 'f'.repeat(32) }

export function createSearch({ db, pageTokens }: Pick<Kernel, 'db' | 'pageTokens'>) {
  return {
    async find(caller: AnyCaller, data: DataOf<typeof runSearch>): Promise<Paged<ResultOf<typeof runSearch>>> {
      const { query, organizationId, pageSize = LIMITS.searchPageSizeMax, pageToken } = data
      const reader = readerOf(caller, data)
      const kinds = kindsOf(data, reader)
      const scope = ['search.find', ownerOfPages(caller), query, kinds, organizationId ?? null, reader?.userId ?? null]
      const last = pageTokens.decode(scope, pageToken)
      const organizationKey = organizationId === undefined ? undefined : organizationKeyOf(caller, organizationId)
      // For a user, an organization that does not exist is like one in which nothing is open.
      if (organizationKey !== undefined && !isUser(caller)) await requireOrganization(db, organizationKey)
      const tenant = { apiKeyId: caller.apiKeyId, organizationKey }
      const hadFound = last?.endsWith(HAS_FOUND) === true
      const respond = (results: SearchResult[], end?: string) => {
        const next = end !== undefined && end + (hadFound || results.length > 0 ? HAS_FOUND : '')
        return { data: results, ...(next !== false && { nextPageToken: pageTokens.encode(scope, next) }) }
      }
      const afterThread = threadIn(last)
      const [folding] = await db.run(FOLD, [query])
      const names = { folded: folding?.folded ?? '', kinds: kinds.filter((kind) => kind !== 'thread') }
      const { found, end } =
        afterThread === undefined
          ? await read(tenant, stepsAfter(last, ranksOf(names.folded), names.kinds), pageSize)
          : NOTHING
      const results = await describe(tenant, found)
      if (end !== undefined) return respond(results, end)
      if (kinds.includes('thread')) {
        const after = afterThread ?? FIRST_COMMENT
        const asked = { ...tenant, query, reader, after, pageSize: pageSize - results.length }
        if (asked.pageSize === 0) return respond(results, cursorOfThread(after))
        const among = await (reader === undefined
          ? findThreads(db, asked)
          : db.transaction((session) => findThreads(session, asked), { snapshot: true }))
        results.push(...among.threads)
        if (among.end !== undefined) return respond(results, cursorOfThread(among.end))
      }
      if (hadFound || results.length > 0) return respond(results)
      for (const rank of nearRanksOf(names.folded)) {
        const near = await describe(tenant, await readNear(tenant, rank, names.kinds))
        near.sort((one, other) => distanceOf(query, one) - distanceOf(query, other) || lastIfDeclared(one, other))
        if (near.length > 0) return respond(near.slice(0, pageSize).map((one) => ({ ...one, near: true })))
      }
      return respond([])
    },
  }

  /** Reads a page. `end` is the cursor of the next one, unless this is the last. */
  async function read(
    tenant: Tenant,
    steps: readonly Step[],
    pageSize: number,
  ): Promise<{ found: Found[]; end?: string }> {
    const found: Found[] = []
    let budget: number = LIMITS.searchEntriesExaminedPerPageMax
    for (const step of steps) {
      const { kind, rank, after } = step
      const query = { ...tenant, kind, rank, after, limit: pageSize + 1 - found.length, budget }
      const { entries, scanned, scanEnd } = await readEntries(db, query)
      found.push(...entries.map((entry) => ({ ...entry, step })))
      budget -= scanned
      const last = found[pageSize - 1]
      if (last !== undefined && found.length > pageSize)
        return { found: found.slice(0, pageSize), end: cursorOf(last.step, last) }
      if (scanEnd !== undefined) return { found, end: cursorOf(step, scanEnd) }
      if (budget <= 0) return { found, end: cursorOf(step, END) }
    }
    return { found }
  }

  /** Reads entries that contain the query but for typos. In large data sets, short words are not searched to the end. */
  async function readNear(tenant: Tenant, rank: Rank, kinds: readonly EntryKind[]): Promise<Found[]> {
    const found: Found[] = []
    const budget = Math.floor(LIMITS.searchEntriesExaminedPerPageMax / kinds.length)
    for (const kind of kinds) {
      const step = { nth: 0, rank, kind, after: START }
      const { entries } = await readEntries(db, { ...tenant, ...step, limit: LIMITS.searchPageSizeMax, budget })
      found.push(...entries.map((entry) => ({ ...entry, step })))
    }
    return found
  }

  async function describe({ apiKeyId }: Tenant, found: readonly Found[]): Promise<SearchResult[]> {
    if (found.length === 0) return []
    const rows = found.map(({ place, entryKey, id, step: { kind } }) => ({
      apiKeyId,
      kind,
      organizationKey: place,
      entryKey,
      id,
    }))
    return (await db.runSet(DESCRIBE, rows)).map(resultOf)
  }
}

/** Returns the user whose threads are found; undefined: all are. */
function readerOf(caller: AnyCaller, { userId }: DataOf<typeof runSearch>): Reader | undefined {
  requireOwnUser(caller, userId)
  const { defaultAccessType, defaultAccessRole } = caller
  const named = isUser(caller) ? caller.userId : userId
  return named === undefined ? undefined : { userId: named, defaultAccessType, defaultAccessRole }
}

/** Returns the kinds in the order of the results. What a user may open is known of threads alone. */
function kindsOf({ kinds }: DataOf<typeof runSearch>, reader: Reader | undefined): SearchKind[] {
  if (reader === undefined) return SEARCH_KINDS.filter((kind) => kinds === undefined || kinds.includes(kind))
  if (kinds?.some((kind) => kind !== 'thread'))
    throw invalidArgument([{ field: 'kinds', message: 'kinds must be "thread" alone for a user' }])
  return ['thread']
}

const AMONG_THREADS = 'thread '

const cursorOfThread = (position: CommentRow): string => {
  const { organizationKey, resourceKey, annotationId, commentId } = position
  return AMONG_THREADS + JSON.stringify({ organizationKey, resourceKey, annotationId, commentId })
}

/** Returns the position of a cursor among threads. */
const threadIn = (cursor: string | null): CommentRow | undefined =>
  cursor?.startsWith(AMONG_THREADS) ? JSON.parse(cursor.slice(AMONG_THREADS.length).replace(HAS_FOUND, '')) : undefined

const cursorOf = ({ nth, kind }: Step, { place, entryKey }: EntryPosition): string =>
  [nth, kind, place, entryKey].join(' ')

/** Returns the ranks to read after the cursor, in the order of the results. */
function stepsAfter(cursor: string | null, ranks: readonly Rank[], kinds: readonly EntryKind[]): Step[] {
  const steps = ranks.flatMap((rank, nth) => kinds.map((kind) => ({ nth, rank, kind, after: START })))
  if (cursor === null) return steps
  const [nth, kind, place = '', entryKey = ''] = cursor.split(' ')
  return steps
    .slice(steps.findIndex((step) => String(step.nth) === nth && step.kind === kind))
    .map((step, index) => (index === 0 ? { ...step, after: { place, entryKey } } : step))
}

/** Among equally near results, those that were never added are last: they may be misspellings themselves. */
const lastIfDeclared = (one: SearchResult, other: SearchResult): number =>
  Number(one.declared ?? false) - Number(other.declared ?? false)

/** Returns how much longer than the query the shortest of its texts is that can contain it with typos. */
function distanceOf(query: string, { id, name = id, email = id }: SearchResult): number {
  const typosMax = TYPOS_IN_WORD_MAX * query.split(' ').length
  return Math.min(
    ...[id, name, email].map(({ length }) => length - query.length).filter((longer) => longer >= -typosMax),
  )
}

function resultOf({ kind, id, disabled, declared, ...row }: DescribedRow): SearchResult {
  const { name, email, organizationId, organizationName, folderId, folderName } = row
  const owner = kind === 'organization' ? {} : { organizationId, organizationName }
  const texts = { name, email, ...owner, folderId, folderName }
  return {
    kind,
    id,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)),
    ...(disabled && { disabled }),
    ...(declared && { declared }),
  }
}
