/** Finds what an API key has, rank by rank and kind by kind (rules/contract.md#search, ADR 0045). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { type runSearch, SEARCH_KINDS, type SearchKind, type SearchResult } from '#contract/resources/search.ts'
import type { Kernel } from '#kernel'
import type { Paged } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey as organizationKeyOf } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { type EntryPosition, type EntryQuery, readEntries, START } from './entries.ts'
import { nearRankOf, type Rank, ranksOf } from './ranks.ts'
import { DESCRIBE, type DescribedRow, type EntryRow, FOLD } from './statements.ts'

export type Search = ReturnType<typeof createSearch>

/** The entries that a search reads at a time: one kind and rank. */
interface Step {
  /** The number of the rank. */
  nth: number
  rank: Rank
  kind: SearchKind
  after: EntryPosition
}

interface Found extends EntryRow {
  step: Step
}

type Tenant = Pick<EntryQuery, 'apiKeyId' | 'organizationKey'>

/** Ends the cursor of a search that has found something. */
const HAS_FOUND = ' found'

/** After all entries of a kind. */
const END: EntryPosition = { place: 'f'.repeat(32), entryKey: 'f'.repeat(32) }

export function createSearch({ db, pageTokens }: Pick<Kernel, 'db' | 'pageTokens'>) {
  return {
    async find(caller: Caller, data: DataOf<typeof runSearch>): Promise<Paged<ResultOf<typeof runSearch>>> {
      const { query, organizationId, pageSize = LIMITS.searchPageSizeMax, pageToken } = data
      const kinds = SEARCH_KINDS.filter((kind) => data.kinds === undefined || data.kinds.includes(kind))
      const scope = ['search.find', caller.apiKeyId, query, kinds, organizationId ?? null]
      const last = pageTokens.decode(scope, pageToken)
      const organizationKey = organizationId === undefined ? undefined : organizationKeyOf(caller, organizationId)
      if (organizationKey !== undefined) await requireOrganization(db, organizationKey)
      const [folding] = await db.run(FOLD, [query])
      const folded = folding?.folded ?? ''
      const tenant = { apiKeyId: caller.apiKeyId, organizationKey }
      const { found, end } = await read(tenant, stepsAfter(last, ranksOf(folded), kinds), pageSize)
      const hasFound = found.length > 0 || last?.endsWith(HAS_FOUND) === true
      if (end !== undefined) {
        const nextPageToken = pageTokens.encode(scope, hasFound ? end + HAS_FOUND : end)
        return { data: await describe(caller, found), nextPageToken }
      }
      if (hasFound) return { data: await describe(caller, found) }
      const near = await describe(caller, await readNear(tenant, nearRankOf(folded), kinds))
      near.sort((one, other) => distanceOf(query, one) - distanceOf(query, other))
      return { data: near.slice(0, pageSize).map((one) => ({ ...one, near: true })) }
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

  /** Reads entries that are the query but for a typo. In large data sets, short words are not searched to the end. */
  async function readNear(tenant: Tenant, rank: Rank | null, kinds: readonly SearchKind[]): Promise<Found[]> {
    const found: Found[] = []
    if (rank === null) return found
    const budget = Math.floor(LIMITS.searchEntriesExaminedPerPageMax / kinds.length)
    for (const kind of kinds) {
      const step = { nth: 0, rank, kind, after: START }
      const { entries } = await readEntries(db, { ...tenant, ...step, limit: LIMITS.searchPageSizeMax, budget })
      found.push(...entries.map((entry) => ({ ...entry, step })))
    }
    return found
  }

  async function describe({ apiKeyId }: Caller, found: readonly Found[]): Promise<SearchResult[]> {
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

const cursorOf = ({ nth, kind }: Step, { place, entryKey }: EntryPosition): string =>
  [nth, kind, place, entryKey].join(' ')

/** Returns the ranks to read after the cursor, in the order of the results. */
function stepsAfter(cursor: string | null, ranks: readonly Rank[], kinds: readonly SearchKind[]): Step[] {
  const steps = ranks.flatMap((rank, nth) => kinds.map((kind) => ({ nth, rank, kind, after: START })))
  if (cursor === null) return steps
  const [nth, kind, place = '', entryKey = ''] = cursor.split(' ')
  return steps
    .slice(steps.findIndex((step) => String(step.nth) === nth && step.kind === kind))
    .map((step, index) => (index === 0 ? { ...step, after: { place, entryKey } } : step))
}

/** Returns how much longer than the query the shortest of its texts is that can contain it with a typo. */
const distanceOf = (query: string, { id, name = id, email = id }: SearchResult): number =>
  Math.min(...[id, name, email].map(({ length }) => length - query.length).filter((longer) => longer >= -1))

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
