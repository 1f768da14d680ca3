/** Lists the grants of an organization, and grants roles to many users in one call. */
import type { addGrants, listGrants } from '#contract/grants.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { ResourceType } from '#contract/permissions.ts'
import type { Db } from '#platform/db/db.ts'
import { cutPage, type Paged, type PageTokens } from '#platform/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, organizationKeys } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { writeUnderLock } from '#tenancy/writes/organization.ts'
import { ADD_GRANTS } from './grant-add-statements.ts'
import { LIST_GRANTS, type ListedGrantRow } from './grant-list-statements.ts'
import { type MergedGrant, mergedGrants } from './merged-grants.ts'
import { grantRow, throwIfRefused } from './operations.ts'

/** The last grant of a page. A null `userId` means: after all grants of the resource. */
type Cursor = [type: ResourceType, id: string, userId: string | null, isTemporary: boolean]

const START: Cursor = ['organization', '', '', false]

export type Grants = ReturnType<typeof createGrants>

export function createGrants({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async list(
      caller: Caller,
      { organizationId, pageSize = LIMITS.pageSizeMax, pageToken }: DataOf<typeof listGrants>,
    ): Promise<Paged<ResultOf<typeof listGrants>>> {
      const key = organizationKey(caller, organizationId)
      await requireOrganization(db, key)
      const scope = ['grants.list', caller.apiKeyId, organizationId]
      const token = pageTokens.decode(scope, pageToken)
      const after: Cursor = token === null ? START : JSON.parse(token)
      const [type, id, userId, isTemporary = true] = after
      const values = [key, type, id, userId, LIMITS.resourcesExaminedPerPageMax, pageSize + 1, isTemporary]
      const rows = await db.run(LIST_GRANTS, values)
      const { page, last } = cutPage(rows, pageSize, ({ userId }) => userId === null)
      return {
        data: { grants: page.flatMap(listedGrant) },
        ...(last && { nextPageToken: pageTokens.encode(scope, JSON.stringify(cursorOf(last))) }),
      }
    },

    /** Runs as its own statement instead of being coalesced with other calls: it already has as many rows as several of them. */
    async add(caller: Caller, { grants }: DataOf<typeof addGrants>): Promise<void> {
      const named = mergedGrants(grants, 'grants')
      const keyOf = organizationKeys(caller)
      const rows = named.map((grant) => ({ ...grantRow(caller, grant, keyOf), req: 0 }))
      const refused = await writeUnderLock(db, ADD_GRANTS, rows)
      throwIfRefused(
        refused,
        refused.map(({ ord }) => named[ord - 1] as MergedGrant),
      )
    },
  }
}

const cursorOf = ({ type, id, userId, isTemporary }: ListedGrantRow): Cursor => [type, id, userId, isTemporary ?? true]

const listedGrant = ({ type, id, userId, accessRole, expiresAt }: ListedGrantRow) =>
  userId === null || accessRole === null
    ? []
    : [
        {
          userId,
          type,
          id,
          accessRole,
          ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
        },
      ]
