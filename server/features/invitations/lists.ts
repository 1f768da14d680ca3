/** Lists and counts invitations (rules/resources.md#invitations). */
import { foldedAddress } from '#contract/core/addresses.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type {
  countInvitations,
  getInvitations,
  getUserInvitations,
  Invitation,
  InvitationStatus,
  InvitationType,
} from '#contract/resources/invitations.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { publicAmong } from '#tenancy/public-access.ts'
import {
  COUNT_PENDING_INVITATIONS,
  type InvitationRow,
  LIST_INVITATIONS,
  LIST_INVITATIONS_OF_ADDRESS,
  LIST_PENDING_INVITATIONS,
} from './list-statements.ts'
import { KIND_OF, TYPE_OF } from './target.ts'

type Page = Paged<Invitation[]> & Pick<HandlerResult<unknown>, 'warnings'>

interface Query {
  organizationId: string
  email?: string | undefined
  status?: InvitationStatus | undefined
  type?: InvitationType | undefined
  pageSize?: number | undefined
  pageToken?: string | undefined
}

/** Before the newest. */
const FIRST_PLACE = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

export function createInvitationLists({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  async function list(caller: Caller, query: Query): Promise<Page> {
    const { organizationId, email, status, type, pageSize = LIMITS.invitationsPageSize, pageToken } = query
    const address = email === undefined ? null : foldedAddress(email)
    const scope = ['invitations', caller.apiKeyId, organizationId, address, status ?? null, type ?? null]
    const place = pageTokens.decode(scope, pageToken)?.split('/') ?? FIRST_PLACE
    const key = organizationKey(caller, organizationId)
    await requireOrganization(db, key)
    const bounds = [key, ...place, pageSize + 1]
    const rows = await (address !== null
      ? db.run(LIST_INVITATIONS_OF_ADDRESS, [
          ...bounds,
          address,
          status ?? null,
          type === undefined ? null : KIND_OF[type],
        ])
      : db.run(status === 'PENDING' ? LIST_PENDING_INVITATIONS : LIST_INVITATIONS, bounds))
    const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ position, invitationId }) => {
      return `${position}/${invitationId}`
    })
    const pending = page.filter((row) => row.status === 'PENDING')
    const resources = pending.map(({ kind, resourceId }) => ({ type: kind, id: resourceId }))
    return {
      data: page.map((row) => recordOf(organizationId, row)),
      ...next,
      ...(await publicAmong(db, caller, organizationId, resources)),
    }
  }

  return {
    get: (caller: Caller, { isPendingUsersOnly = false, ...query }: DataOf<typeof getInvitations>): Promise<Page> =>
      list(caller, { ...query, status: isPendingUsersOnly ? 'PENDING' : undefined }),

    getOfPerson: (caller: Caller, query: DataOf<typeof getUserInvitations>): Promise<Page> => list(caller, query),

    async count(
      caller: Caller,
      { organizationId, type }: DataOf<typeof countInvitations>,
    ): Promise<ResultOf<typeof countInvitations>> {
      const key = organizationKey(caller, organizationId)
      await requireOrganization(db, key)
      const [counted] = await db.run(COUNT_PENDING_INVITATIONS, [key, KIND_OF[type]])
      return { count: counted?.count ?? 0 }
    },
  }
}

/** Returns the fields that are not null. */
const given = <Fields extends Record<string, unknown>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }

/** Returns an invitation in the form of the API. */
export function recordOf(organizationId: string, row: InvitationRow): Invitation {
  const { invitationId, kind, resourceId, invitee, email, status, createdAt, updatedAt } = row
  const { accessRole, organizationName, folderName, documentName, invitedBy } = row
  return {
    invitationId,
    email,
    type: TYPE_OF[kind],
    status,
    organizationId,
    ...(kind === 'document' ? { documentId: resourceId } : {}),
    ...(kind === 'folder' ? { folderId: resourceId } : {}),
    ...given({ organizationName, documentName, folderName, accessRole, invitedBy }),
    ...(status === 'ACCEPTED' ? { userId: invitee } : {}),
    createdAt: createdAt.getTime(),
    lastUpdated: updatedAt.getTime(),
  }
}
