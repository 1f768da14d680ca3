/**
 * Updates, moves and deletes folders, and sets their access (rules/resources.md#unknown-ids,
 * rules/resources.md#folders). Each call is one transaction.
 */
import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import {
  type deleteFolder,
  FOLDER_FIELDS,
  type setFolderAccess,
  type updateFolders,
} from '#contract/resources/folders.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { accessChangeResult, assertAccessChange, mayBePublic } from '#tenancy/access-change.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { declaredAmong } from '#tenancy/declared.ts'
import { madePublic } from '#tenancy/public-access.ts'
import { folderDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization, LONG_CHANGE } from '#tenancy/writes/organization.ts'
import { reportProgress } from '#tenancy/writes/steps.ts'
import { FOLLOW_ACCESS, SET_FOLDER_ACCESS } from './access-statements.ts'
import {
  DELETE_FOLDER,
  MOVE_FOLDER,
  type MoveOutcome,
  type NamedFolderRow,
  UPDATE_FOLDERS,
} from './change-statements.ts'
import { emptyIfLarge } from './emptying.ts'
import { insideItself, ROOT, tooDeep } from './records.ts'

type Changes = DataOf<typeof updateFolders>['folders']

export function createFolderChanges(db: Db) {
  return {
    /** Moves folders sequentially, because moves depend on earlier ones. Then changes the fields of the moved folders. */
    async update(
      caller: Caller,
      { organizationId, folders }: DataOf<typeof updateFolders>,
    ): Promise<HandlerResult<BatchResult>> {
      const key = organizationKey(caller, organizationId)
      const lastOf = new Map(folders.map(({ folderId }, index) => [folderId, index]))
      const last = folders.filter(({ folderId }, index) => lastOf.get(folderId) === index)
      const work = async (session: Session) => {
        const moved = await move(session, caller, organizationId, last)
        const changed = await change(session, caller, organizationId, last, moved)
        const resultOf = (id: string) => moved.get(id) ?? changed.get(id) ?? nothingToDo(id)
        const results = await withDeclared(
          session,
          key,
          Object.fromEntries(last.map(({ folderId }) => [folderId, resultOf(folderId)])),
        )
        const movedIds = [...moved].flatMap(([id, { success }]) => (success ? [id] : []))
        return { data: results, ...(await madePublic(session, caller, organizationId, 'folder', movedIds)) }
      }
      return changeOrganization(db, caller, key, work, LONG_CHANGE)
    },

    async setAccess(
      caller: Caller,
      { organizationId, folderIds, ...access }: DataOf<typeof setFolderAccess>,
    ): Promise<HandlerResult<ResultOf<typeof setFolderAccess>>> {
      assertAccessChange(access)
      const ids = [...new Set(folderIds)]
      const rows = ids.map((id) => ({ ...rowOf(caller, organizationId, id), accessType: access.accessType ?? null }))
      const key = organizationKey(caller, organizationId)
      const work = async (session: Session) => {
        const named = await session.runSet(SET_FOLDER_ACCESS, rows)
        const changed = named.filter(({ changed }) => changed)
        if (changed.length > 0)
          await session.runSet(
            FOLLOW_ACCESS,
            changed.map(({ resourceKey }) => ({ organizationKey: key, resourceKey })),
          )
        const found = new Set(named.map(({ folderId }) => folderId))
        const warnings = mayBePublic(access)
          ? await madePublic(session, caller, organizationId, 'folder', [...found])
          : {}
        const results = await withDeclared(
          session,
          key,
          Object.fromEntries(ids.map((id) => [id, found.has(id) ? set(id) : notFound(id)])),
        )
        return { data: results, ...warnings }
      }
      const set = (id: string) => ({
        success: true,
        id,
        ...accessChangeResult(access),
        message: 'Folder access updated successfully.',
      })
      return changeOrganization(db, caller, key, work, LONG_CHANGE)
    },

    async delete(
      caller: Caller,
      { organizationId, folderId }: DataOf<typeof deleteFolder>,
    ): Promise<ResultOf<typeof deleteFolder>> {
      const key = organizationKey(caller, organizationId)
      const work = async (session: Session) => {
        const { documents, permissions } = await emptyIfLarge(session, key, folderId)
        const values = [key, folderId, JSON.stringify(caller.actor), documents, permissions]
        const [deleted] = await session.run(DELETE_FOLDER, values)
        if (deleted === undefined) throw folderDoesNotExist()
        return { deleted }
      }
      return changeOrganization(db, caller, key, work, LONG_CHANGE)
    },
  }
}

/** Returns the results; the result of a folder that was never added says how many grants are on it. */
async function withDeclared<Result extends ItemResult>(
  session: Session,
  key: OrganizationKey,
  results: Record<string, Result | ItemResult>,
): Promise<Record<string, Result | ItemResult>> {
  const missing = Object.keys(results).filter((id) => results[id]?.code === 'not-found')
  const declared = await declaredAmong(session, key, 'folder', missing)
  return Object.fromEntries(
    Object.entries(results).map(([id, result]) => [
      id,
      result.code === 'not-found' ? (declared(id) ?? result) : result,
    ]),
  )
}

async function move(
  session: Session,
  caller: Caller,
  organizationId: string,
  folders: Changes,
): Promise<Map<string, ItemResult>> {
  const key = organizationKey(caller, organizationId)
  const actor = JSON.stringify(caller.actor)
  const results = new Map<string, ItemResult>()
  for (const [index, { folderId, parentFolderId }] of folders.entries()) {
    if (parentFolderId === undefined) continue
    if (index > 0) await reportProgress(session, `${index} of ${folders.length} folders`)
    const parent = parentFolderId === ROOT ? null : parentFolderId
    const [moved] = await session.run(MOVE_FOLDER, [key, folderId, parent, LIMITS.folderDepthMax, actor])
    results.set(folderId, moveResultOf(folderId, moved?.outcome ?? 'folder_does_not_exist'))
  }
  return results
}

async function change(
  session: Session,
  caller: Caller,
  organizationId: string,
  folders: Changes,
  moved: ReadonlyMap<string, ItemResult>,
): Promise<Map<string, ItemResult>> {
  const rows = folders.flatMap(({ folderId, parentFolderId: _, ...changes }) =>
    Object.keys(changes).length === 0 || moved.get(folderId)?.success === false
      ? []
      : [{ ...rowOf(caller, organizationId, folderId), changes }],
  )
  if (rows.length === 0) return new Map()
  const found = new Set((await session.runSet(UPDATE_FOLDERS, rows)).map(({ folderId }) => folderId))
  return new Map(rows.map(({ folderId: id }) => [id, found.has(id) ? updated(id) : notFound(id)]))
}

const rowOf = (caller: Caller, organizationId: string, folderId: string): NamedFolderRow => ({
  organizationKey: organizationKey(caller, organizationId),
  apiKeyId: caller.apiKeyId,
  organizationId,
  createOrganization: false,
  folderId,
  actor: caller.actor,
})

const updated = (id: string): ItemResult => ({ success: true, id, message: 'Folder updated successfully.' })

const notFound = (id: string): ItemResult => failed(id, 'not-found', 'The folder does not exist.')

const NAMES = Object.keys(FOLDER_FIELDS).join(', ')

const nothingToDo = (id: string): ItemResult =>
  failed(id, 'invalid-argument', `${NAMES} or parentFolderId is required.`)

function moveResultOf(id: string, outcome: MoveOutcome): ItemResult {
  switch (outcome) {
    case 'ok':
      return updated(id)
    case 'inside_itself':
      return insideItself(id)
    case 'too_deep':
      return tooDeep(id)
    case 'parent_does_not_exist':
      return failed(id, 'not-found', 'The parent folder does not exist.')
    default:
      return notFound(id)
  }
}
