/** Adds, reads, updates, disables and deletes organizations (rules/resources.md#organizations). */
import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type {
  addOrganizations,
  deleteOrganizations,
  disableOrganizations,
  getOrganizations,
  updateOrganizations,
} from '#contract/resources/organizations.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, organizationServiceId } from '#tenancy/callers/keys.ts'
import { scopeOf } from '#tenancy/name-order.ts'
import { assertComplete } from '#tenancy/page-bytes.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { changeOrganizations, LONG_CHANGE, lockOrganizations, writeUnderLock } from '#tenancy/writes/organization.ts'
import {
  DELETE_ORGANIZATIONS,
  DISABLE_ORGANIZATIONS,
  type NamedOrganizationRow,
  UPDATE_ORGANIZATIONS,
} from './change-statements.ts'
import { emptyLarge } from './emptying.ts'
import { FIND_ORGANIZATIONS_WITH_THREADS, FORGET_IN_THREADS } from './private-threads.ts'
import {
  ADD_ORGANIZATIONS,
  FIND_ORGANIZATIONS,
  LIST_ORGANIZATIONS,
  LIST_ORGANIZATIONS_BY_NAME,
  type OrganizationRecordRow,
} from './statements.ts'

export interface OrganizationsDeps {
  db: Db
  pageTokens: PageTokens
}

type Page = Paged<ResultOf<typeof getOrganizations>>

export function createOrganizations({ db, pageTokens }: OrganizationsDeps) {
  return {
    async add(caller: Caller, { organizations }: DataOf<typeof addOrganizations>): Promise<BatchResult> {
      const byId = new Map(organizations.map((organization) => [organization.organizationId, organization]))
      const rows = [...byId.values()].map(({ organizationId, organizationName, disabled, ...metadata }) => ({
        organizationKey: organizationKey(caller, organizationId),
        apiKeyId: caller.apiKeyId,
        organizationId,
        createOrganization: true,
        name: organizationName ?? null,
        disabled: disabled ?? null,
        metadata,
        actor: caller.actor,
      }))
      const refused = new Set((await writeUnderLock(db, ADD_ORGANIZATIONS, rows)).map((row) => row.organizationKey))
      return Object.fromEntries(
        rows.map(({ organizationId, organizationKey }): [string, ItemResult] => [
          organizationId,
          refused.has(organizationKey)
            ? tooMuchMetadata(organizationId)
            : {
                success: true,
                id: organizationServiceId(organizationKey),
                message: 'Organization added successfully.',
              },
        ]),
      )
    },

    async update(caller: Caller, { organizations }: DataOf<typeof updateOrganizations>): Promise<BatchResult> {
      const byId = new Map(organizations.map((organization) => [organization.organizationId, organization]))
      const rows = [...byId.values()].map(({ organizationId, organizationName, ...metadata }) => ({
        ...rowOf(caller, organizationId),
        renames: organizationName !== undefined,
        name: organizationName ?? null,
        metadata,
      }))
      const found = await writeUnderLock(db, UPDATE_ORGANIZATIONS, rows)
      const tooLarge = found.filter(({ fits }) => !fits).map(({ organizationId: id }) => [id, tooMuchMetadata(id)])
      return { ...resultsOf(rows, found, 'updated'), ...Object.fromEntries(tooLarge) }
    },

    async disable(
      caller: Caller,
      { organizationIds, disabled }: DataOf<typeof disableOrganizations>,
    ): Promise<HandlerResult<BatchResult>> {
      const rows = [...new Set(organizationIds)].map((id) => ({ ...rowOf(caller, id), disabled }))
      const results = resultsOf(
        rows,
        await writeUnderLock(db, DISABLE_ORGANIZATIONS, rows),
        disabled ? 'disabled' : 'enabled',
      )
      const enabled = disabled ? [] : rows.filter(({ organizationId }) => results[organizationId]?.success)
      const found = enabled.map(({ organizationId: id }) => ({
        access: null,
        resource: { type: 'organization' as const, id },
      }))
      return { data: results, ...publicWarnings(caller, found) }
    },

    async delete(caller: Caller, { organizationIds }: DataOf<typeof deleteOrganizations>): Promise<BatchResult> {
      const rows = [...new Set(organizationIds)].map((id) => rowOf(caller, id))
      const keys = rows.map(({ organizationKey }) => organizationKey)
      const work = async (session: Session) => {
        const others = await session.runSet(FIND_ORGANIZATIONS_WITH_THREADS, rows)
        const holders = others.map(({ organizationId }) => rowOf(caller, organizationId))
        const locked = (await lockOrganizations(session, [...rows, ...holders])).slice(0, rows.length)
        if (others.length > 0) await session.runSet(FORGET_IN_THREADS, locked)
        return session.runSet(DELETE_ORGANIZATIONS, await emptyLarge(session, locked))
      }
      return resultsOf(rows, await changeOrganizations(db, caller, keys, work, LONG_CHANGE), 'deleted')
    },

    async get(
      caller: Caller,
      { organizationIds, orderBy = 'id', pageSize = LIMITS.pageSizeMax, pageToken }: DataOf<typeof getOrganizations>,
    ): Promise<Page> {
      if (organizationIds !== undefined) return { data: await find(caller, [...new Set(organizationIds)]) }
      const scope = ['organizations.get', caller.apiKeyId, ...scopeOf(orderBy)]
      const values = [caller.apiKeyId, pageTokens.decode(scope, pageToken), pageSize + 1]
      if (orderBy !== 'id') {
        const rows = await db.run(LIST_ORGANIZATIONS_BY_NAME[orderBy], values)
        const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ position }) => position)
        return { data: page.map(recordOf), ...next }
      }
      const rows = await db.run(LIST_ORGANIZATIONS, values)
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ id }) => id)
      return { data: page.map(recordOf), ...next }
    },
  }

  async function find(caller: Caller, ids: string[]): Promise<Page['data']> {
    const rows = await db.runSet(
      FIND_ORGANIZATIONS,
      ids.map((id) => ({ organizationKey: organizationKey(caller, id) })),
    )
    assertComplete(rows)
    const found = new Map(rows.map((row) => [row.id, recordOf(row)]))
    return ids.map((id) => found.get(id) ?? failed(id, 'not-found', 'The organization does not exist.'))
  }
}

const recordOf = ({ id, name, metadata, disabled }: OrganizationRecordRow) => ({
  ...metadata,
  id,
  ...(name === null ? {} : { organizationName: name }),
  disabled,
})

const rowOf = (caller: Caller, organizationId: string): NamedOrganizationRow => ({
  organizationKey: organizationKey(caller, organizationId),
  apiKeyId: caller.apiKeyId,
  organizationId,
  createOrganization: false,
  actor: caller.actor,
})

function resultsOf(
  rows: readonly NamedOrganizationRow[],
  found: readonly { organizationId: string }[],
  done: string,
): BatchResult {
  const ids = new Set(found.map(({ organizationId }) => organizationId))
  return Object.fromEntries(
    rows.map(({ organizationId, organizationKey }): [string, ItemResult] => [
      organizationId,
      ids.has(organizationId)
        ? { success: true, id: organizationServiceId(organizationKey), message: `Organization ${done} successfully.` }
        : failed(organizationId, 'not-found', 'The organization does not exist.'),
    ]),
  )
}

const tooMuchMetadata = (id: string): ItemResult =>
  failed(id, 'invalid-argument', 'The metadata of the organization would exceed the limits.')
