/** Counts what a user has access to inside a folder or organization, in steps that can be continued by another call. */
import type { Inside, ListedResource } from '#contract/access/access-lists.ts'
import type { AccessRole } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Db, Session } from '#platform/db/db.ts'
import {
  type Cursor,
  FIRST_KEY,
  type FoundResource,
  findResources,
  type ResourceQuestion,
  runIn,
} from '../listed-resources.ts'

const KINDS = ['folder', 'document'] as const

/** JSON, because it is part of page tokens. */
export interface Tally {
  /** At most one more than are reported. */
  resources: number
  /** The widest role so far. */
  accessRole: AccessRole
  /** Whether the user has more access to a resource that was counted than everybody has. */
  isHeld: boolean
  /** Where counting continues; null: it is complete. */
  next: Cursor | null
}

/** Stands for everybody without a grant, who have no role but the default: no user has the empty id, and it sorts before all others. */
export const ANYBODY = ''

const START: Cursor = { kind: 'folder', key: FIRST_KEY }
export const NOTHING: Tally = { resources: 0, accessRole: 'viewer', isHeld: false, next: START }

/** Once there are more resources than are counted, only a wider role is sought. */
const isFull = ({ resources }: Pick<Tally, 'resources'>): boolean => resources > LIMITS.insideResourcesMax

/**
 * Continues a tally until it is complete, or until `deadline` (of `performance.now()`) has passed; at least one statement
 * runs. All those of one call see one moment: otherwise a user whose access changes from a document to a folder meanwhile could be
 * found at neither, as may happen to one whose count is continued on the next page.
 */
export const continueTally = (db: Db, question: ResourceQuestion, from: Tally, deadline: number): Promise<Tally> =>
  db.transaction((session) => continueIn(session, question, from, deadline), { snapshot: true })

async function continueIn(session: Session, question: ResourceQuestion, from: Tally, deadline: number): Promise<Tally> {
  const finder = (tally: Tally) =>
    findResources(
      session,
      runIn(session),
      isFull(tally) ? { ...question, atLeast: 'editor' } : question,
      KINDS,
      tally.next,
    )
  let tally = from
  let find = finder(tally)
  let decided: number
  do {
    const batch = await find(LIMITS.insideResourcesMax + 1)
    const before = tally
    const rows = batch.rows.filter(({ resource }) => !(resource.type === 'folder' && resource.id === question.folderId))
    tally = withBatch(question, before, rows, batch.next)
    if (isFull(tally) && !isFull(before)) find = finder(tally)
    decided = batch.decided
  } while (tally.next !== null && (decided === 0 || performance.now() < deadline))
  return tally
}

function withBatch(
  { userId, defaultAccessRole }: ResourceQuestion,
  tally: Tally,
  found: readonly FoundResource[],
  next: Cursor | null,
): Tally {
  const rows = found.map(({ resource }) => resource)
  const resources = Math.min(tally.resources + rows.length, LIMITS.insideResourcesMax + 1)
  const hasEditor = tally.accessRole === 'editor' || rows.some(({ accessRole }) => accessRole === 'editor')
  const isOfEverybody = ({ reason, accessRole }: ListedResource) =>
    reason === 'access_type' && (accessRole === 'viewer' || defaultAccessRole === 'editor')
  const isHeld = tally.isHeld || !rows.every(isOfEverybody)
  const counted: Omit<Tally, 'next'> = { resources, accessRole: hasEditor ? 'editor' : 'viewer', isHeld }
  if (!isFull(counted)) return { ...counted, next }
  if (hasEditor || userId === ANYBODY) return { ...counted, next: null }
  return { ...counted, next: isFull(tally) ? next : START }
}

/** Returns a complete tally in the form of the API. */
export const insideOf = ({ resources, accessRole }: Tally): Inside => ({
  resources: Math.min(resources, LIMITS.insideResourcesMax),
  ...(resources > LIMITS.insideResourcesMax ? { moreResources: true as const } : {}),
  accessRole,
})
