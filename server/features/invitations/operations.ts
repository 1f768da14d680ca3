/** Adds and answers invitations (rules/resources.md#invitations). */

import { foldedAddress } from '#contract/core/addresses.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { addInvitation, InvitedBy, respondToInvitation } from '#contract/resources/invitations.ts'
import { grantAtSignIn, narrowedRole } from '#features/permissions/shared.ts'
import type { UserTokenCheck } from '#features/user-tokens/shared.ts'
import { recordUserEvents, storeProfiles } from '#features/users/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db } from '#platform/db/db.ts'
import type { PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import { requireMailAddress } from '#tenancy/addresses.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireResource } from '#tenancy/existence.ts'
import { inviteeOf } from '#tenancy/principals.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { holdRoles } from '#tenancy/writes/commenter.ts'
import { changeOrganizations, lockOrganization, writeUnderLock } from '#tenancy/writes/organization.ts'
import { type AcceptingUser, createAcceptance, profileOf } from './acceptance.ts'
import { createInvitationLists } from './lists.ts'
import { ADD_INVITATION, ANSWER_INVITATION, type NewInvitationOutcome } from './statements.ts'
import { type InvitedResource, invitedResource } from './target.ts'

export function createInvitations(
  { db, pageTokens }: { db: Db; pageTokens: PageTokens },
  userTokens: Pick<UserTokenCheck, 'verify'>,
) {
  const acceptance = createAcceptance(userTokens)
  return {
    ...createInvitationLists({ db, pageTokens }),

    async add(caller: Caller, data: DataOf<typeof addInvitation>): Promise<HandlerResult<unknown>> {
      const { organizationId, email, accessRole = null, invitedBy = null } = data
      const { organizationName = null, folderName = null, documentName = null } = data
      const target = invitedResource(data)
      requireMailAddress('email', email)
      const { apiKeyId, requireKnownResources, actor } = caller
      const row = {
        organizationKey: organizationKey(caller, organizationId),
        apiKeyId,
        organizationId,
        createOrganization: !requireKnownResources,
        kind: target.resource.type,
        resourceId: target.resource.id,
        knownOnly: requireKnownResources,
        address: foldedAddress(email),
        email,
        invitee: inviteeOf(email),
        accessRole,
        ...{ organizationName, folderName, documentName },
        inviter: inviterOf(invitedBy),
        invitedBy,
        actor,
      }
      const [outcome] = await writeUnderLock(db, ADD_INVITATION, [row])
      if (outcome === undefined) return {}
      throwIfRefused(outcome, target)
      return publicWarnings(caller, [{ ...outcome, ...target }])
    },

    /** If the user keeps a stronger role than that of the invitation, the result says which. */
    async respond(
      caller: Caller,
      data: DataOf<typeof respondToInvitation>,
    ): Promise<HandlerResult<ResultOf<typeof respondToInvitation>>> {
      const target = invitedResource(data)
      const accepting = data.status === 'ACCEPTED' ? await acceptance.userOf(caller, data) : undefined
      const key = organizationKey(caller, data.organizationId)
      // Profiles are locked before organizations, as by every call that stores one.
      return changeOrganizations(db, caller, [key], async (session) => {
        // The role of a pending invitation needs no hold: as long as it is pending, the key keeps the role.
        const { defaultAccessRole } = caller
        if (accepting !== undefined)
          await holdRoles(session, caller, [{ accessRole: accepting.accessRole ?? defaultAccessRole }])
        const profile = accepting === undefined ? undefined : await profileOf(session, caller, accepting, data.email)
        const changed = profile === undefined ? [] : await storeProfiles(session, caller, [profile])
        if (!(await lockOrganization(session, key))) throw organizationDoesNotExist()
        const [found] = await session.runSet(ANSWER_INVITATION, [
          {
            organizationKey: key,
            resourceKey: await requireResource(session, key, target.resource),
            resourceId: target.resource.id,
            address: foldedAddress(data.email),
            status: data.status,
            userId: accepting?.userId ?? null,
            actor: caller.actor,
          },
        ])
        if (found === undefined) throw invitationDoesNotExist()
        if (found.status !== 'PENDING') throw invitationNotPending(found.status)
        if (accepting === undefined) return { data: {} }
        const accessRole = roleOf(accepting, found.accessRole ?? undefined)
        const user = { userId: accepting.userId, ...target }
        const roles = { accessRole, roleIfNew: defaultAccessRole }
        const keptRole = await narrowedRole(session, caller, user, accessRole ?? defaultAccessRole)
        const granted =
          keptRole === undefined
            ? await grantAtSignIn(session, caller, [
                { ...user, ...roles, createOrganization: false, createResource: false },
              ])
            : []
        await recordUserEvents(session, caller, data.organizationId, changed)
        if (keptRole === undefined) return { data: {}, ...publicWarnings(caller, granted) }
        const message = `The user already has the role ${keptRole} and keeps it, because it is stronger than the role of the invitation: no grant was written.`
        return { data: { keptRole }, warnings: [{ code: 'stronger_role_kept' as const, message }] }
      })
    },
  }
}

/** Returns the role that accepting gives; undefined if nobody named one. */
function roleOf({ accessRole }: AcceptingUser, ofInvitation: AcceptingUser['accessRole']): AcceptingUser['accessRole'] {
  if (ofInvitation === undefined || accessRole === undefined || accessRole === ofInvitation)
    return ofInvitation ?? accessRole
  const field = 'user.accessRole'
  const message = `${field} must be that of the invitation, "${ofInvitation}", or be omitted: the inviter decides the role`
  throw invalidArgument([{ field, message }], 'invitation_role_differs')
}

/** Returns the user or else the address that `invitedBy` names, under which an erasure finds it. */
function inviterOf(invitedBy: InvitedBy | null): string | null {
  if (invitedBy?.userId !== undefined) return invitedBy.userId
  return invitedBy?.email === undefined ? null : inviteeOf(invitedBy.email)
}

function throwIfRefused({ outcome, migratedTo }: NewInvitationOutcome, { resource, field }: InvitedResource): void {
  if (outcome === 'ok') return
  const message =
    outcome === 'document_was_migrated'
      ? `${field} names document "${resource.id}", which was migrated to "${migratedTo}"; use the new id`
      : `${field}: the ${resource.type} "${resource.id}" does not exist, and the API key has requireKnownResources`
  throw invalidArgument([{ field, message, ...(migratedTo === null ? {} : { migratedTo }) }], outcome)
}

const invitationDoesNotExist = () =>
  new StatusError('NOT_FOUND', 'invitation_does_not_exist', 'This address has no invitation to the resource.')

const invitationNotPending = (status: string) =>
  new StatusError(
    'FAILED_PRECONDITION',
    'invitation_not_pending',
    `The invitation is ${status}, and only a pending one can be answered.`,
    { details: { status } },
  )
