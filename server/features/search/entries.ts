/**
 * Reads entries of one kind and rank: from an index in order, or from the index of grams where that is faster (ADR
 * 0045).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { EntryKind } from '#contract/resources/search.ts'
import type { Db } from '#platform/db/db.ts'
import type { Rank } from './ranks.ts'
import {
  type EntryRow,
  LOOK_UP_DATA_SET,
  LOOK_UP_MEMBERS,
  LOOK_UP_ORGANIZATION,
  SCAN_DATA_SET,
  SCAN_MEMBERS,
  SCAN_ORGANIZATION,
} from './statements.ts'

/**
 * The number of entries that are scanned first. They are all entries of a small data set, and fill a page if every fiftieth
 * entry matches.
 */
const FIRST_SCAN_ENTRIES = 1_000

/** With more, reading them in no order costs more than scanning entries in order. */
const INDEXED_ENTRIES_MAX = 2_000

const ZEROS = '00000000-0000-0000-0000-000000000000'

export interface EntryPosition {
  place: string
  entryKey: string
}

/** Before all entries: no key has only zeros. */
export const START: EntryPosition = { place: ZEROS, entryKey: ZEROS }

export interface EntryQuery {
  apiKeyId: ApiKeyId
  kind: EntryKind
  /** Undefined: of all organizations. */
  organizationKey: OrganizationKey | undefined
  rank: Rank
  after: EntryPosition
  /** How many entries are listed at most. */
  limit: number
  /** How many entries may be scanned. */
  budget: number
}

export interface Entries {
  entries: EntryRow[]
  /** How much of the budget was used. */
  scanned: number
  /** The position where the budget ended, if it did: later entries were not examined. */
  scanEnd: EntryPosition | undefined
}

/** Returns the entries that match, in the order of their keys. With a `scanEnd`, those up to it. */
export async function readEntries(db: Db, query: EntryQuery): Promise<Entries> {
  const { limit, budget } = query
  const first = await scan(db, query, Math.min(FIRST_SCAN_ENTRIES, budget))
  if (first.entries.length === limit || first.scanEnd === undefined) return first
  const found = await lookUp(db, query)
  if (found !== undefined) return { entries: found, scanned: first.scanned, scanEnd: undefined }
  if (first.scanned === budget) return first
  const rest = await scan(
    db,
    { ...query, after: first.scanEnd, limit: limit - first.entries.length },
    budget - first.scanned,
  )
  return { ...rest, entries: [...first.entries, ...rest.entries], scanned: first.scanned + rest.scanned }
}

async function scan(db: Db, query: EntryQuery, budget: number): Promise<Entries> {
  const statement = statementFor(query, { all: SCAN_DATA_SET, members: SCAN_MEMBERS, organization: SCAN_ORGANIZATION })
  const rows = await db.run(statement, [...commonValues(query), budget, query.rank.near, ...organizationOf(query)])
  const last = rows.at(-1)
  const scanEnd = last?.isScanEnd === true ? last : undefined
  return { entries: rows.filter(({ matches }) => matches), scanned: scanEnd === undefined ? 0 : budget, scanEnd }
}

/** Returns undefined if the index finds too many entries, or has no part to look up. */
async function lookUp(db: Db, query: EntryQuery): Promise<EntryRow[] | undefined> {
  const statement = statementFor(query, {
    all: LOOK_UP_DATA_SET,
    members: LOOK_UP_MEMBERS,
    organization: LOOK_UP_ORGANIZATION,
  })
  const { parts } = query.rank
  if (parts === null) return undefined
  const readings = parts.flatMap((some, nth) => some.map(() => nth))
  const limits = [INDEXED_ENTRIES_MAX, query.rank.near]
  const values = [...commonValues(query), ...limits, parts.flat(), readings, ...organizationOf(query)]
  const rows = await db.run(statement, values)
  if ((rows[0]?.found ?? 0) > INDEXED_ENTRIES_MAX) return undefined
  return rows.flatMap((row) => (row.entryKey === null ? [] : [row]))
}

/** Users do not belong to an organization; the users of an organization are its members. */
function statementFor<Each>(
  { organizationKey, kind }: EntryQuery,
  { all, members, organization }: { all: Each; members: Each; organization: Each },
): Each {
  if (organizationKey === undefined) return all
  return kind === 'user' ? members : organization
}

const commonValues = ({ apiKeyId, kind, after, rank, limit }: EntryQuery): unknown[] => [
  apiKeyId,
  kind,
  after.place,
  after.entryKey,
  rank.like,
  rank.unlike,
  limit,
]

const organizationOf = ({ organizationKey }: EntryQuery): unknown[] =>
  organizationKey === undefined ? [] : [organizationKey]
