/** Finds the resources in an organization or a folder to which a user has access, batch by batch (ADR 0014). */
import type { ListedResource } from '#contract/access/access-lists.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import type { Decisions } from '../checks/decisions.ts'
import { decisionOf } from '../decision/forms.ts'
import { LIST_BY_FOLDER } from './by-folder-statements.ts'
import { LIST_BY_SCAN } from './by-scan-statements.ts'
import type { Batch } from './fill-page.ts'
import {
  DECISIONS_PER_ROW,
  type ListedKind,
  type ListedResourcesRow,
  type ListStatement,
  type ResourceListRow,
} from './resource-statements.ts'

/** The position after which a list continues. */
export interface Cursor {
  kind: ResourceType
  key: string
}

/** A resource that the user has access to, and its key. */
export interface FoundResource {
  key: string
  resource: ListedResource
}

export const cursorOf = ({ key, resource }: FoundResource): Cursor => ({ kind: resource.type, key })

export interface ResourceQuestion {
  organizationKey: OrganizationKey
  organizationId: string
  userId: string
  /** The folder to list; null: the organization. */
  folderId: string | null
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  /** Whether the API key may have disabled users. */
  hasDisabledUsers: boolean
  atLeast: AccessRole | null
}

/** Sorts before every key. */
export const FIRST_KEY = '00000000-0000-0000-0000-000000000000'

interface Strategy {
  statements: Readonly<Record<ListedKind, ListStatement>>
  examinedMax: number
  /** Whether its statements are shared with other calls. */
  isJoined: boolean
}

/**
 * The strategies that fill a page, tried in order. If the user has access to few folders, their documents are listed; such statements
 * are joined. A scan is quick for a user with access to most of what it reads: all resources, or those on few shelves (ADR 0053). If it
 * does not fill the page, the documents of many folders are listed.
 */
const FIRST_STRATEGY: Strategy = { statements: LIST_BY_FOLDER, examinedMax: 100, isJoined: true }
const STRATEGIES: readonly Strategy[] = [
  FIRST_STRATEGY,
  { statements: LIST_BY_SCAN, examinedMax: 4_000, isJoined: false },
  { statements: LIST_BY_FOLDER, examinedMax: 20_000, isJoined: false },
  { statements: LIST_BY_SCAN, examinedMax: 20_000, isJoined: false },
]

type Finder = (decisions: number) => Promise<Batch<FoundResource, Cursor>>

/** Runs the statement of a strategy for one list. */
type Run = (strategy: Strategy, kind: ListedKind, row: ResourceListRow) => Promise<ListedResourcesRow[]>

/** Runs statements alone, in a transaction. */
export const runIn =
  (session: Session): Run =>
  ({ statements }, kind, row) =>
    session.runSet(statements[kind], [{ req: 0, ...row }])

export function createListedResources(db: Db, { decide }: Pick<Decisions, 'decide'>) {
  const rowsOf = ({ decisions }: { decisions: number }) => Math.ceil(decisions / DECISIONS_PER_ROW)
  const joined = {
    folder: coalescedReads(db, LIST_BY_FOLDER.folder, { rowsOf }),
    document: coalescedReads(db, LIST_BY_FOLDER.document, { rowsOf }),
  }
  const runAlone = runIn(db)

  return {
    /**
     * Returns a function that finds the next batch with each call, one kind after the other. It refuses with NOT_FOUND
     * where there is nothing to list.
     */
    find(question: ResourceQuestion, kinds: readonly ResourceType[], start: Cursor | null, tenant: string): Finder {
      const run: Run = (strategy, kind, row) =>
        strategy.isJoined ? joined[kind].run([row], tenant) : runAlone(strategy, kind, row)
      const inside = kinds.filter((kind) => kind !== 'organization')
      const [first] = inside
      const findInside = findResources(db, run, question, inside, start?.kind === 'organization' ? null : start)
      let isOrganizationNext = kinds.includes('organization') && start === null
      return async (decisions) => {
        if (!isOrganizationNext) return findInside(decisions)
        isOrganizationNext = false
        if (first === undefined) await requireScope(db, question)
        const next = first === undefined ? null : { kind: first, key: FIRST_KEY }
        return { rows: await organizationOf(question, tenant), next, decided: 0 }
      }
    },

    coalescers: Object.values(joined),
  }

  async function organizationOf(question: ResourceQuestion, tenant: string): Promise<FoundResource[]> {
    const { organizationKey, organizationId, folderId: _folderId, ...asked } = question
    const resource = { organizationKey, kind: 'organization' as const, resourceId: organizationId }
    const [row] = await decide([{ ...resource, ...asked }], tenant)
    if (!row?.allowed) return []
    const listed = { type: 'organization' as const, id: organizationId, ...decisionOf(row) }
    return [{ key: organizationKey, resource: listed }]
  }
}

/** Refuses with NOT_FOUND where there is nothing to list. */
export async function requireScope(session: Session, { organizationKey, folderId }: ResourceQuestion): Promise<void> {
  if (folderId === null) await requireOrganization(session, organizationKey)
  else await requireResource(session, organizationKey, { type: 'folder', id: folderId })
}

/** Returns a function that finds the next batch of folders and documents with each call. */
export function findResources(
  session: Session,
  run: Run,
  question: ResourceQuestion,
  kinds: readonly ListedKind[],
  start: Cursor | null,
): Finder {
  const { organizationId, hasDisabledUsers: _, ...asked } = question
  const firstOf = (kind: ListedKind | undefined) => (kind === undefined ? null : { kind, key: FIRST_KEY })
  let cursor = (start as { kind: ListedKind; key: string } | null) ?? firstOf(kinds[0])
  let nth = 0

  return async (decisions) => {
    if (cursor === null) {
      await requireScope(session, question)
      return { rows: [], next: null, decided: 0 }
    }
    const { kind, key: afterKey } = cursor
    const strategy = STRATEGIES[nth] ?? FIRST_STRATEGY
    const found = await run(strategy, kind, { ...asked, afterKey, decisions, examinedMax: strategy.examinedMax })
    const { tooMany, examinedTo, exists } = outcomeOf(found)
    if (!exists) {
      await requireScope(session, question)
      return { rows: [], next: cursor, decided: 0 } // added a moment ago
    }
    if (tooMany || strategy.statements === LIST_BY_SCAN) nth = Math.min(nth + 1, STRATEGIES.length - 1)
    if (tooMany) return { rows: [], next: cursor, decided: 0 }
    if (examinedTo === null) nth = 0
    cursor = examinedTo === null ? firstOf(kinds[kinds.indexOf(kind) + 1]) : { kind, key: examinedTo }
    const rows = resourcesIn(found, kind, organizationId)
    return { rows, next: cursor, decided: examinedTo === null ? 0 : decisions }
  }
}

/** Says how far a statement searched. */
export function outcomeOf(
  found: readonly ListedResourcesRow[],
): Pick<ListedResourcesRow, 'tooMany' | 'examinedTo'> & { exists: boolean } {
  const outcome = found.find(({ ids }) => ids === null)
  return {
    tooMany: outcome?.tooMany ?? false,
    examinedTo: outcome?.examinedTo ?? null,
    exists: outcome?.found ?? false,
  }
}

/** Returns the resources of all decisions, in the order of their keys. */
export function resourcesIn(
  decisions: readonly ListedResourcesRow[],
  kind: ListedKind,
  organizationId: string,
): FoundResource[] {
  const byThemselves = new Set(decisions.flatMap(({ isItself, keys }) => (isItself ? (keys ?? []).flat() : [])))
  const found: FoundResource[] = []
  for (const row of decisions) {
    if (!row.allowed || row.ids === null) continue
    const shared = decisionOf(row)
    const isOnEach = row.viaType === kind && row.viaId === null // documents with equal grants of their own
    for (const [folder, ids] of row.ids.entries()) {
      const keys = row.keys?.[folder] ?? []
      for (const [nth, id] of ids.entries()) {
        const key = keys[nth] ?? ''
        if (id === null || (!row.isItself && byThemselves.has(key))) continue
        const decision = isOnEach ? decisionOf({ ...row, viaId: id }) : shared
        found.push({ key, resource: { type: kind, id, organizationId, ...decision } })
      }
    }
  }
  return found.sort((one, other) => (one.key < other.key ? -1 : 1))
}
