/**
 * Updates, moves, disables and deletes documents, and sets their access (rules/resources.md#disabling,
 * rules/resources.md#unknown-ids, rules/contract.md#merging).
 */

import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type {
  deleteDocuments,
  disableDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db, Session, TransactionOptions } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import { accessChangeResult, assertAccessChange, mayBePublic } from '#tenancy/access-change.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type DeclaredRow, declaredAmong, held } from '#tenancy/declared.ts'
import { madePublic } from '#tenancy/public-access.ts'
import { folderDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization, LONG_CHANGE } from '#tenancy/writes/organization.ts'
import {
  type ChangeOutcome,
  DELETE_DECLARED_DOCUMENTS,
  DELETE_DOCUMENTS,
  DISABLE_DOCUMENTS,
  MOVE_DOCUMENTS,
  type NamedDocumentRow,
  SET_DOCUMENT_ACCESS,
  UPDATE_DOCUMENTS,
} from './change-statements.ts'
import { FIND_FOLDER } from './read-statements.ts'
import { documentServiceId, missing, ROOT } from './records.ts'

export function createDocumentChanges(db: Db) {
  const change = <Row extends NamedDocumentRow>(
    caller: Caller,
    organizationId: string,
    statement: SetStatement<Row, ChangeOutcome>,
    rows: readonly Row[],
    options: TransactionOptions = {},
  ): Promise<Changed> => {
    const key = organizationKey(caller, organizationId)
    const work = async (session: Session) => withDeclared(session, key, await session.runSet(statement, rows))
    return changeOrganization(db, caller, key, work, options)
  }

  return {
    async update(
      caller: Caller,
      { organizationId, merge = true, documents }: DataOf<typeof updateDocuments>,
    ): Promise<BatchResult> {
      const byId = new Map(documents.map((document) => [document.documentId, document]))
      const rows = [...byId.values()].map(({ documentId, documentName, ...metadata }) => ({
        ...rowOf(caller, organizationId, documentId),
        renames: documentName !== undefined,
        name: documentName ?? null,
        replaces: !merge,
        metadata,
      }))
      return resultsOf(await change(caller, organizationId, UPDATE_DOCUMENTS, rows), 'updated')
    },

    async move(
      caller: Caller,
      { organizationId, documentIds, folderId }: DataOf<typeof moveDocuments>,
    ): Promise<HandlerResult<BatchResult>> {
      const key = organizationKey(caller, organizationId)
      return changeOrganization(db, caller, key, async (session) => {
        const [found] = await session.run(FIND_FOLDER, [key, folderId])
        const folderKey = found?.folderKey ?? null
        if (folderId !== ROOT && folderKey === null) throw folderDoesNotExist()
        const rows = rowsOf(caller, organizationId, documentIds, { folderId, folderKey })
        const changed = await withDeclared(session, key, await session.runSet(MOVE_DOCUMENTS, rows))
        const warnings = await madePublic(session, caller, organizationId, 'document', changedIn(changed))
        return { data: resultsOf(changed, 'moved'), ...warnings }
      })
    },

    async setAccess(
      caller: Caller,
      { organizationId, documentIds, ...access }: DataOf<typeof setDocumentAccess>,
    ): Promise<HandlerResult<ResultOf<typeof setDocumentAccess>>> {
      assertAccessChange(access)
      const key = organizationKey(caller, organizationId)
      const rows = rowsOf(caller, organizationId, documentIds, { accessType: access.accessType ?? null })
      return changeOrganization(db, caller, key, async (session) => {
        const changed = await withDeclared(session, key, await session.runSet(SET_DOCUMENT_ACCESS, rows))
        const set = mayBePublic(access) ? changedIn(changed) : []
        const warnings = await madePublic(session, caller, organizationId, 'document', set)
        return { data: resultsOf(changed, 'updated', accessChangeResult(access)), ...warnings }
      })
    },

    async disable(
      caller: Caller,
      { organizationId, documentIds, disabled }: DataOf<typeof disableDocuments>,
    ): Promise<HandlerResult<ResultOf<typeof disableDocuments>>> {
      const key = organizationKey(caller, organizationId)
      const rows = rowsOf(caller, organizationId, documentIds, { disabled })
      return changeOrganization(db, caller, key, async (session) => {
        const changed = await withDeclared(session, key, await session.runSet(DISABLE_DOCUMENTS, rows))
        const warnings = await madePublic(
          session,
          caller,
          organizationId,
          'document',
          disabled ? [] : changedIn(changed),
        )
        return { data: resultsOf(changed, disabled ? 'disabled' : 'enabled', { disabled }), ...warnings }
      })
    },

    async delete(
      caller: Caller,
      { organizationId, documentIds }: DataOf<typeof deleteDocuments>,
    ): Promise<BatchResult> {
      const key = organizationKey(caller, organizationId)
      const work = async (session: Session): Promise<Changed> => {
        const outcomes = await session.runSet(DELETE_DOCUMENTS, rowsOf(caller, organizationId, documentIds, {}))
        const missingIds = missingIn(outcomes)
        const declared =
          missingIds.length === 0
            ? []
            : await session.runSet(DELETE_DECLARED_DOCUMENTS, rowsOf(caller, organizationId, missingIds, {}))
        const deleted = new Map(declared.map((row) => [row.id, declaredDeleted(row)]))
        return { outcomes, declared: (id) => deleted.get(id) }
      }
      return resultsOf(await changeOrganization(db, caller, key, work, LONG_CHANGE), 'deleted')
    },
  }
}

const rowOf = (caller: Caller, organizationId: string, documentId: string): NamedDocumentRow => ({
  organizationKey: organizationKey(caller, organizationId),
  apiKeyId: caller.apiKeyId,
  organizationId,
  createOrganization: false,
  documentId,
  actor: caller.actor,
})

const rowsOf = <More extends object>(caller: Caller, organizationId: string, ids: readonly string[], more: More) =>
  [...new Set(ids)].map((documentId) => ({ ...rowOf(caller, organizationId, documentId), ...more }))

interface Changed {
  outcomes: readonly ChangeOutcome[]
  /** The result of a document that was never added, if grants or invitations have named it. */
  declared: (documentId: string) => ItemResult | undefined
}

const changedIn = ({ outcomes }: Changed): string[] =>
  outcomes.filter(({ resourceKey }) => resourceKey !== null).map(({ documentId }) => documentId)

const missingIn = (outcomes: readonly ChangeOutcome[]): string[] =>
  outcomes.filter(({ resourceKey }) => resourceKey === null).map(({ documentId }) => documentId)

const withDeclared = async (
  session: Session,
  key: OrganizationKey,
  outcomes: readonly ChangeOutcome[],
): Promise<Changed> => ({
  outcomes,
  declared: await declaredAmong(session, key, 'document', missingIn(outcomes)),
})

const declaredDeleted = ({ resourceKey, ...holding }: DeclaredRow): ItemResult => ({
  success: true,
  id: documentServiceId(resourceKey),
  permissions: holding.permissions,
  message: `The document was never added; ${held(holding)} ${holding.permissions + holding.invitations > 0 ? 'ended' : 'was left'}.`,
})

/** Returns a result for each outcome. A success includes the fields of `set`. */
function resultsOf<State extends object = object>({ outcomes, declared }: Changed, done: string, set?: State) {
  return Object.fromEntries(
    outcomes.map(({ documentId, outcome, resourceKey, migratedTo }) => {
      if (resourceKey === null) return [documentId, declared(documentId) ?? missing(documentId, migratedTo)]
      if (outcome === 'too_large')
        return [
          documentId,
          failed(documentId, 'invalid-argument', 'The metadata of the document would exceed the limits.'),
        ]
      const message = `Document ${done} successfully.`
      return [documentId, { success: true, id: documentServiceId(resourceKey), ...set, message }]
    }),
  )
}
