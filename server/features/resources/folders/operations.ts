/** Adds and reads folders (rules/resources.md#adding, rules/resources.md#folders). `changes.ts` updates and deletes them. */
import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { addFolders, FolderInput, FolderRecord, getFolders } from '#contract/resources/folders.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { type NameOrder, scopeOf } from '#tenancy/name-order.ts'
import { madePublic } from '#tenancy/public-access.ts'
import { folderDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganizations, lockOrganizations } from '#tenancy/writes/organization.ts'
import { createFolderChanges } from './changes.ts'
import { LIST_SUB_FOLDERS_BY_NAME, LIST_TOP_FOLDERS_BY_NAME } from './name-statements.ts'
import { insideItself, nested, ROOT, recordOf, tooDeep } from './records.ts'
import {
  ADD_FOLDERS,
  FIND_FOLDER_KEY,
  FIND_FOLDERS,
  type FolderOutcome,
  type FolderRecordRow,
  GET_FOLDER_TREE,
  LIST_FOLDERS,
  LIST_SUB_FOLDERS,
  LIST_TOP_FOLDERS,
} from './statements.ts'

export interface FoldersDeps {
  db: Db
  pageTokens: PageTokens
}

type Page = Paged<FolderRecord[]>

export function createFolders({ db, pageTokens }: FoldersDeps) {
  async function add(
    caller: Caller,
    { organizationId, createOrganization = false, folders }: DataOf<typeof addFolders>,
  ): Promise<HandlerResult<BatchResult>> {
    const organization = {
      organizationKey: organizationKey(caller, organizationId),
      apiKeyId: caller.apiKeyId,
      organizationId,
      createOrganization,
    }
    const byId = new Map(folders.map((folder) => [folder.folderId, folder]))
    const results = new Map<string, ItemResult>([...byId.keys()].map((id) => [id, insideItself(id)]))
    const warnings = await changeOrganizations(db, caller, [organization.organizationKey], async (session) => {
      const [locked = organization] = await lockOrganizations(session, [organization])
      let depth = 0
      for (const generation of generations(byId)) {
        // Skips the statement because the lock of the organization is held.
        if (++depth > LIMITS.folderDepthMax) {
          for (const { folderId } of generation) results.set(folderId, tooDeep(folderId))
          continue
        }
        const rows = generation.map(({ folderId, parentFolderId, accessType, ...fields }) => ({
          ...locked,
          folderId,
          fields,
          parentId: parentFolderId === undefined || parentFolderId === ROOT ? null : parentFolderId,
          accessType: accessType ?? null,
          folderDepthMax: LIMITS.folderDepthMax,
          actor: caller.actor,
        }))
        const outcomes = await session.runSet(ADD_FOLDERS, rows)
        if (outcomes.some(({ outcome }) => outcome === 'organization_does_not_exist')) throw organizationDoesNotExist()
        for (const { folderId, outcome } of outcomes) results.set(folderId, resultOf(folderId, outcome))
      }
      const added = [...byId.values()].filter(
        ({ folderId, accessType = 'public' }) => accessType === 'public' && results.get(folderId)?.success,
      )
      const ids = added.map(({ folderId }) => folderId)
      return madePublic(session, caller, organizationId, 'folder', ids)
    })
    return { data: Object.fromEntries(results), ...warnings }
  }

  async function get(caller: Caller, data: DataOf<typeof getFolders>): Promise<Page> {
    const { organizationId, folderId, parentFolderId, rootFoldersOnly, maxDepth = 1 } = data
    if (data.folderIds !== undefined) assertOnlyIds(data)
    if (parentFolderId !== undefined && (folderId !== undefined || rootFoldersOnly)) throw folderOrParent()
    const key = organizationKey(caller, organizationId)
    await requireOrganization(db, key)
    if (data.folderIds !== undefined) return { data: await find(caller, key, data, [...new Set(data.folderIds)]) }
    if (folderId === undefined) return list(caller, key, data)
    const { foldersPerTreeMax, ancestorsPerTreeMax } = LIMITS
    const rows = await db.run(GET_FOLDER_TREE, [key, folderId, maxDepth, foldersPerTreeMax + 1, ancestorsPerTreeMax])
    if (rows.length > foldersPerTreeMax) throw tooManyFolders(`${foldersPerTreeMax} folders`)
    if (rows.reduce((sum, { ancestors }) => sum + ancestors.length, 0) > ancestorsPerTreeMax)
      throw tooManyFolders(`${ancestorsPerTreeMax} ancestors of folders`)
    const tree = nested(rows.map((row) => recordOf(row, caller, organizationId)))
    if (tree === undefined) throw folderDoesNotExist()
    return { data: [tree] }
  }

  async function list(caller: Caller, key: OrganizationKey, data: DataOf<typeof getFolders>): Promise<Page> {
    const { organizationId, rootFoldersOnly = false, orderBy = 'id', pageSize = LIMITS.pageSizeMax, pageToken } = data
    const parent = data.parentFolderId ?? (rootFoldersOnly ? ROOT : null)
    const scope = ['folders.get', caller.apiKeyId, organizationId, parent, ...scopeOf(orderBy)]
    const after = pageTokens.decode(scope, pageToken)
    if (orderBy !== 'id') {
      const rows = await rowsByName(key, parent, orderBy, [key, after, pageSize + 1])
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ position }) => position)
      return { data: page.map((row) => recordOf(row, caller, organizationId)), ...next }
    }
    const rows = await rowsIn(key, parent, [key, after, pageSize + 1])
    const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ id }) => id)
    return { data: page.map((row) => recordOf(row, caller, organizationId)), ...next }
  }

  async function rowsIn(key: OrganizationKey, parent: string | null, values: unknown[]): Promise<FolderRecordRow[]> {
    if (parent === null) return db.run(LIST_FOLDERS, values)
    if (parent === ROOT) return db.run(LIST_TOP_FOLDERS, values)
    return db.run(LIST_SUB_FOLDERS, [...values, await folderKeyOf(key, parent)])
  }

  async function rowsByName(key: OrganizationKey, parent: string | null, orderBy: NameOrder, values: unknown[]) {
    if (parent === null) throw orderNeedsParent()
    if (parent === ROOT) return db.run(LIST_TOP_FOLDERS_BY_NAME[orderBy], values)
    return db.run(LIST_SUB_FOLDERS_BY_NAME[orderBy], [...values, await folderKeyOf(key, parent)])
  }

  async function folderKeyOf(key: OrganizationKey, folderId: string): Promise<string> {
    const [found] = await db.run(FIND_FOLDER_KEY, [key, folderId])
    if (found === undefined) throw folderDoesNotExist()
    return found.folderKey
  }

  async function find(
    caller: Caller,
    key: OrganizationKey,
    { organizationId }: { organizationId: string },
    ids: string[],
  ) {
    const rows = await db.runSet(
      FIND_FOLDERS,
      ids.map((folderId) => ({ organizationKey: key, folderId })),
    )
    const found = new Map(rows.map((row) => [row.id, recordOf(row, caller, organizationId)]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  return { add, get, ...createFolderChanges(db) }
}

/** Yields the folders of a call level by level: first those whose parent is not in the call, then their children, and so on. */
function* generations(byId: ReadonlyMap<string, FolderInput>): Generator<FolderInput[]> {
  const remaining = new Map(byId)
  remaining.delete(ROOT)
  while (remaining.size > 0) {
    const ready = [...remaining.values()].filter(
      ({ parentFolderId }) => parentFolderId === undefined || !remaining.has(parentFolderId),
    )
    if (ready.length === 0) return // the remaining folders form cycles
    for (const { folderId } of ready) remaining.delete(folderId)
    yield ready
  }
}

function resultOf(id: string, outcome: FolderOutcome['outcome']): ItemResult {
  switch (outcome) {
    case 'ok':
      return { success: true, id, message: 'Folder created successfully.' }
    case 'already_exists':
      return failed(id, 'already-exists', 'The folder already exists.')
    case 'too_deep':
      return tooDeep(id)
    default:
      return failed(id, 'not-found', 'The parent folder does not exist.')
  }
}

function assertOnlyIds({ folderId, parentFolderId, rootFoldersOnly = false }: DataOf<typeof getFolders>): void {
  if (folderId === undefined && parentFolderId === undefined && !rootFoldersOnly) return
  const message = 'folderIds must not be given together with folderId, parentFolderId or rootFoldersOnly'
  throw invalidArgument([{ field: 'folderIds', message }])
}

const orderNeedsParent = (): StatusError =>
  invalidArgument([{ field: 'orderBy', message: 'orderBy by name requires parentFolderId or rootFoldersOnly' }])

const folderOrParent = (): StatusError =>
  invalidArgument([
    { field: 'parentFolderId', message: 'parentFolderId must not be given together with folderId or rootFoldersOnly' },
  ])

const tooManyFolders = (bound: string): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_folders',
    `There are more than ${bound} at this depth; use a smaller maxDepth, or list all folders in pages.`,
  )
