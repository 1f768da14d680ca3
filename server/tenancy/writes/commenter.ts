/** Keeps the role `commenter` of API keys while transactions give it (rules/access.md#commenters). */
import { type AccessRole, accessRoles } from '#contract/access/permissions.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { oneOf } from '#contract/validation/sentences.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { invalidArgument, type StatusError } from '#platform/status-error.ts'

/** The roles that a row of a statement gives, and the API key of their grants. */
export interface GivenRoles {
  apiKeyId: ApiKeyId
  accessRole?: AccessRole | null | undefined
  standingRole?: AccessRole | null
  temporaryRole?: AccessRole | null
}

/** Returns which of the API keys have the role, and holds them until the transaction ends: a change of their settings waits. */
export const HOLD_COMMENTER = statement<{ apiKeyId: ApiKeyId }>(
  'api-keys.hold-commenter',
  /* sql */ `
  select api_key_id as "apiKeyId" from api_keys
   where api_key_id = any($1::text[]) and has_commenter
   order by api_key_id for share`,
)

export const givesCommenter = ({ accessRole, standingRole, temporaryRole }: GivenRoles): boolean =>
  accessRole === 'commenter' || standingRole === 'commenter' || temporaryRole === 'commenter'

/**
 * Refuses rows that give the role `commenter` if an API key has dropped it since the call arrived; otherwise no API key
 * can drop it before the transaction ends. Runs before the locks of users and organizations. Rows that give other roles
 * cost nothing.
 */
export async function holdCommenter(session: Session, rows: readonly GivenRoles[]): Promise<void> {
  const keys = [...new Set(rows.filter(givesCommenter).map(({ apiKeyId }) => apiKeyId))]
  if (keys.length === 0) return
  const holding = await session.run(HOLD_COMMENTER, [keys])
  if (holding.length < keys.length) throw accessRoleIsUnknown('accessRole')
}

/** Does the same for roles that a call with one API key gives; undefined: a role that is kept, or `editor`. */
export const holdRoles = (
  session: Session,
  { apiKeyId }: Pick<GivenRoles, 'apiKeyId'>,
  given: readonly Pick<GivenRoles, 'accessRole'>[],
): Promise<void> =>
  holdCommenter(
    session,
    given.map(({ accessRole }) => ({ apiKeyId, accessRole })),
  )

/** The refusal of `commenter` in a field, as if no API key had it. */
export const accessRoleIsUnknown = (field: string): StatusError =>
  invalidArgument([{ field, message: `${field} ${oneOf(accessRoles(false))}` }])
