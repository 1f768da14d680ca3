/** Finds what a user has access to in an organization or a folder, batch by batch (ADR 0014). */
import type { ListedResource } from '#contract/access-lists.ts'
import type { OrganizationKey } from '#contract/ids.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/permissions.ts'
import type { Db } from '#platform/db/db.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import { type Decisions, decisionOf } from './decisions.ts'
import type { Batch } from './fill-page.ts'
import { LIST_BY_FOLDER } from './list-by-folder-statements.ts'
import { LIST_BY_SCAN } from './list-by-scan-statements.ts'
import { DECISIONS_PER_ROW, type ListedKind, type ListedResourcesRow } from './resource-list-statements.ts'

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

/**
 * The strategies that fill a page, tried in order. If the user has access to few folders, their documents are listed; such statements
 * are joined. A scan of all resources is quick for a user with access to most of them. If it does not fill the page,
 * the documents of many folders are listed.
 */
const STRATEGIES = [
  { statements: LIST_BY_FOLDER, examinedMax: 100, joined: true },
  { statements: LIST_BY_SCAN, examinedMax: 4_000, joined: false },
  { statements: LIST_BY_FOLDER, examinedMax: 20_000, joined: false },
  { statements: LIST_BY_SCAN, examinedMax: 20_000, joined: false },
] as const

export function createListedResources(db: Db, { decide }: Pick<Decisions, 'decide'>) {
  const rowsOf = ({ decisions }: { decisions: number }) => Math.ceil(decisions / DECISIONS_PER_ROW)
  const joined = {
    folder: coalescedReads(db, LIST_BY_FOLDER.folder, { rowsOf }),
    document: coalescedReads(db, LIST_BY_FOLDER.document, { rowsOf }),
  }

  return {
    /** Returns a function that finds the next batch with each call, one kind after the other. It refuses with NOT_FOUND where there is nothing to list. */
    find(
      question: ResourceQuestion,
      kinds: readonly ResourceType[],
      start: Cursor | null,
      tenant: string,
    ): (decisions: number) => Promise<Batch<FoundResource, Cursor>> {
      const { organizationId, hasDisabledUsers: _, ...asked } = question
      const firstOf = (kind: ResourceType | undefined): Cursor | null =>
        kind === undefined ? null : { kind, key: FIRST_KEY }
      const afterKind = (kind: ResourceType): Cursor | null => firstOf(kinds[kinds.indexOf(kind) + 1])
      let cursor = start ?? firstOf(kinds[0])
      let strategy = 0

      return async (decisions) => {
        if (cursor === null) {
          await requireScope(question)
          return { rows: [], next: null, decided: 0 }
        }
        const { kind } = cursor
        if (kind === 'organization') {
          const found = cursor.key === FIRST_KEY ? await organizationOf(question, tenant) : []
          cursor = afterKind(kind)
          if (cursor === null) await requireScope(question)
          return { rows: found, next: cursor, decided: 0 }
        }
        const { statements, examinedMax, joined: isJoined } = STRATEGIES[strategy] ?? STRATEGIES[0]
        const row = { ...asked, afterKey: cursor.key, decisions, examinedMax }
        const found = await (isJoined
          ? joined[kind].run([row], tenant)
          : db.runSet(statements[kind], [{ req: 0, ...row }]))
        const { tooMany, examinedTo, exists } = outcomeOf(found)
        if (!exists) {
          await requireScope(question)
          return { rows: [], next: cursor, decided: 0 } // added a moment ago
        }
        if (tooMany || statements === LIST_BY_SCAN) strategy = Math.min(strategy + 1, STRATEGIES.length - 1)
        if (tooMany) return { rows: [], next: cursor, decided: 0 }
        if (examinedTo === null) strategy = 0
        cursor = examinedTo === null ? afterKind(kind) : { kind, key: examinedTo }
        return {
          rows: resourcesIn(found, kind, organizationId),
          next: cursor,
          decided: examinedTo === null ? 0 : decisions,
        }
      }
    },

    requireScope,
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

  /** Refuses with NOT_FOUND where there is nothing to list. */
  async function requireScope({ organizationKey, folderId }: ResourceQuestion): Promise<void> {
    if (folderId === null) await requireOrganization(db, organizationKey)
    else await requireResource(db, organizationKey, { type: 'folder', id: folderId })
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
  const byThemselves = new Set(decisions.flatMap(({ isItself, keys }) => (isItself ? (keys ?? []) : [])))
  const found: FoundResource[] = []
  for (const row of decisions) {
    if (!row.allowed || row.ids === null) continue
    const listed: ListedResource = { type: kind, id: '', organizationId, ...decisionOf(row) }
    for (const [index, id] of row.ids.entries()) {
      const key = row.keys?.[index] ?? ''
      if (id !== null && (row.isItself || !byThemselves.has(key))) found.push({ key, resource: { ...listed, id } })
    }
  }
  return found.sort((one, other) => (one.key < other.key ? -1 : 1))
}
