/** Checks who accepts an invitation: the holder of a valid user token, with the address that was invited. */

import type { AccessRole } from '#contract/access/permissions.ts'
import { foldedAddress } from '#contract/core/addresses.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { respondToInvitation } from '#contract/resources/invitations.ts'
import type { UserTokenCheck } from '#features/user-tokens/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { LOCK_EMAIL } from './statements.ts'

export interface AcceptingUser {
  userId: string
  accessRole: AccessRole | undefined
  /** The given fields. */
  profile: { email?: string }
  /** The address in the token. */
  tokenEmail: string | undefined
}

export function createAcceptance(userTokens: Pick<UserTokenCheck, 'verify'>) {
  return {
    /** Returns the user who accepts. Refuses a call without a user, or without a valid token of that user. */
    async userOf(caller: Caller, data: DataOf<typeof respondToInvitation>): Promise<AcceptingUser> {
      const { organizationId, user, authToken } = data
      if (user === undefined || authToken === undefined)
        throw invalidArgument(
          Object.entries({ user, authToken })
            .filter(([, value]) => value === undefined)
            .map(([field]) => ({ field, message: `${field} is required with status ACCEPTED` })),
        )
      const { userId, accessRole, organizationId: ofUser, ...profile } = user
      if (ofUser !== undefined && ofUser !== organizationId) {
        const field = 'user.organizationId'
        throw invalidArgument([{ field, message: `${field} must be equal to the organizationId of the call` }])
      }
      const verified = await userTokens.verify(caller, { token: authToken })
      if (!verified.active) throw tokenInvalid(`authToken is not a valid user token (${verified.reason})`)
      if (verified.userId !== userId) throw tokenInvalid('authToken must be a token of user.userId')
      return { userId, accessRole, profile, tokenEmail: verified.email }
    },
  }
}

/**
 * Returns the profile to store, and locks the stored one. The address of the user is the one in the call, otherwise the one in
 * the profile, otherwise the one in the token; a user without any gets the invited address. Refuses an address other than the
 * invited one.
 */
export async function profileOf(
  session: Session,
  { apiKeyId }: Caller,
  { userId, profile, tokenEmail }: AcceptingUser,
  invited: string,
): Promise<{ userId: string; profile: object }> {
  const [stored] = await session.run(LOCK_EMAIL, [apiKeyId, userId])
  if (stored === undefined) throw tokenInvalid('authToken is not a valid user token: the user was erased')
  const own = profile.email ?? stored.email ?? undefined
  const email = own ?? tokenEmail
  if (email !== undefined && foldedAddress(email) !== foldedAddress(invited)) {
    const message = 'the invitation is for another address than that of the user'
    throw invalidArgument([{ field: 'email', message }], 'invitation_email_differs')
  }
  return { userId, profile: own === undefined ? { ...profile, email: invited } : profile }
}

const tokenInvalid = (message: string) => invalidArgument([{ field: 'authToken', message }], 'user_token_invalid')
