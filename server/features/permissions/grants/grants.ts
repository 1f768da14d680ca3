/** Lists the grants of an organization, and grants roles to many users in one call. */
import type { addGrants, listGrants } from '#contract/access/grants.ts'
import { PERMISSION_PROVIDER } from '#contract/access/permission-provider.ts'
import type { ResourceType } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type DataOf, type ResultOf, scopeMissing } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import { cutPage, type Paged, type PageTokens } from '#platform/secrets/page-token.ts'
import { StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, organizationKeys } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { principalIn } from '#tenancy/principals.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { holdCommenter } from '#tenancy/writes/commenter.ts'
import { changeOrganizations, lockOrganizations, writeUnderLock } from '#tenancy/writes/organization.ts'
import { ADD_GRANTS, type AddedGrantRow } from './add-statements.ts'
import { markHolders } from './group-holders.ts'
import { grantsWithHistory } from './history.ts'
import { LIST_GRANTS, type ListedGrantRow } from './list-statements.ts'
import { type MergedGrant, mergedGrants } from './merged.ts'
import { grantRow, throwIfRefused } from './operations.ts'
import { fieldsIn, principalOf } from './principals.ts'

/** The last grant of a page. A null `principal` means: after all grants of the resource. */
type Cursor = [type: ResourceType, id: string, principal: string | null, isTemporary: boolean]

const START: Cursor = ['organization', '', '', false]

export function createGrants({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async list(
      caller: Caller,
      { organizationId, includeHistory, pageSize = LIMITS.pageSizeMax, pageToken }: DataOf<typeof listGrants>,
    ): Promise<Paged<ResultOf<typeof listGrants>>> {
      // As `events.list`, from which the history is.
      if (includeHistory && !caller.isAdmin)
        throw new StatusError('PERMISSION_DENIED', 'scope_missing', scopeMissing('admin'))
      const key = organizationKey(caller, organizationId)
      await requireOrganization(db, key)
      const scope = ['grants.list', caller.apiKeyId, organizationId]
      const token = pageTokens.decode(scope, pageToken)
      const after: Cursor = token === null ? START : JSON.parse(token)
      const [type, id, principal, isTemporary = true] = after
      const values = [key, type, id, principal, LIMITS.resourcesExaminedPerPageMax, pageSize + 1, isTemporary]
      const rows = await db.run(LIST_GRANTS, values)
      const { page, last } = cutPage(rows, pageSize, ({ principal }) => principal === null)
      const grants = page.flatMap(listedGrant)
      return {
        data: { grants: includeHistory ? await grantsWithHistory(db, caller, key, grants) : grants },
        ...(last && { nextPageToken: pageTokens.encode(scope, JSON.stringify(cursorOf(last))) }),
        ...publicWarnings(
          caller,
          page.flatMap(({ type, id, principal, ...access }) =>
            principal === null ? [] : [{ ...access, resource: { type, id, organizationId } }],
          ),
        ),
      }
    },

    /** Runs as its own statement instead of being coalesced with other calls: it already has as many rows as several of them. */
    async add(caller: Caller, { grants }: DataOf<typeof addGrants>): Promise<ReturnType<typeof publicWarnings>> {
      const named = mergedGrants(
        grants.map((grant, index) => ({ ...grant, principal: principalOf(grant, fieldsIn(`grants[${index}]`)) })),
        'grants',
      )
      const grantsAt = (ords: readonly number[]) => ords.map((ord) => named[ord - 1] as MergedGrant)
      const keyOf = organizationKeys(caller)
      const rows = named.map((grant) => ({ ...grantRow(caller, grant, keyOf), req: 0 }))
      const outcomes = grants.some(({ groupId }) => groupId !== undefined)
        ? await addWithGroups(caller, rows, named)
        : await writeUnderLock(db, ADD_GRANTS, rows)
      const refused = outcomes.filter(({ outcome }) => outcome !== 'ok')
      throwIfRefused(refused, grantsAt(refused.map(({ ord }) => ord)))
      const found = outcomes.flatMap(({ ords, ...access }) =>
        grantsAt(ords ?? []).map((grant) => ({ ...grant, ...access })),
      )
      return publicWarnings(caller, found)
    },
  }

  function addWithGroups(caller: Caller, rows: AddedGrantRow[], named: readonly MergedGrant[]) {
    const keys = rows.map(({ organizationKey }) => organizationKey)
    return changeOrganizations(db, caller, keys, async (session) => {
      await holdCommenter(session, rows)
      const locked = await lockOrganizations(session, rows)
      const holders = locked.flatMap(({ organizationKey, principal }, index) => {
        const holder = principalIn(principal)
        return 'groupId' in holder ? [{ organizationKey, ...holder, field: `${named[index]?.field}.groupId` }] : []
      })
      await markHolders(session, holders)
      return session.runSet(ADD_GRANTS, locked)
    })
  }
}

const cursorOf = ({ type, id, principal, isTemporary }: ListedGrantRow): Cursor => [
  type,
  id,
  principal,
  isTemporary ?? true,
]

const listedGrant = ({ type, id, principal, accessRole, expiresAt, isProvided }: ListedGrantRow) =>
  principal === null || accessRole === null
    ? []
    : [
        {
          ...principalIn(principal),
          type,
          id,
          accessRole,
          ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
          ...(isProvided ? { source: PERMISSION_PROVIDER } : {}),
        },
      ]
