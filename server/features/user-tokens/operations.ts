/** Generates and revokes user tokens: JWTs that identify a user to a front end (rules/keys.md#user-tokens). */
import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import type { GrantedResource } from '#contract/access/permissions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { generateToken, revokeTokens } from '#contract/users/user-tokens.ts'
import { grantAtSignIn, revokeProvided, type SignInGrant } from '#features/permissions/shared.ts'
import { createSigningKeys } from '#features/signing-keys/shared.ts'
import { storeProfile } from '#features/users/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { lostRace } from '#platform/db/pg-errors.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { named, organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { userIsBeingErased, userIsDisabled } from '#tenancy/refusals.ts'
import { holdRoles } from '#tenancy/writes/commenter.ts'
import { changeOrganizations } from '#tenancy/writes/organization.ts'
import { SINCE_CLAIM } from './check.ts'
import { GET_TOKEN_TIMES, REVOKE_TOKENS } from './statements.ts'

export function createUserTokens({ db, publicUrl, use }: Kernel) {
  const signingKeys = use(createSigningKeys)
  return {
    async generate(
      caller: Caller,
      { userId, userProperties = {}, permissions: { resources } = { resources: [] } }: DataOf<typeof generateToken>,
    ): Promise<{ data: { token: string } } & ReturnType<typeof publicWarnings>> {
      const { organizationId, ...profile } = userProperties
      const ofOrganization = organizationGrants(userId, organizationId, resources)
      const named = signInGrants(userId, resources)
      const grants = [...named, ...ofOrganization]
      const organizations = grants.map(({ resource }) => organizationKey(caller, owningOrganization(resource)))
      const jti = randomUUID()
      const { jwk, kid, now, tokensSince, lifetimeSeconds, granted } = await changeOrganizations(
        db,
        caller,
        organizations,
        async (session) => {
          const ofMember = ofOrganization.map(() => ({ accessRole: caller.defaultAccessRole }))
          await holdRoles(session, caller, [...grants, ...ofMember])
          const profileEvents = await storeProfile(session, caller, userId, profile)
          const [times] = await session.run(GET_TOKEN_TIMES, [caller.apiKeyId, userId])
          if (times === undefined) throw lostRace('a user was erased while signing in')
          if (times.isBeingErased) throw userIsBeingErased()
          if (times.userDisabled) throw userIsDisabled()
          const key = await signingKeys.current(session, caller)
          const asMember = { roleIfNew: caller.defaultAccessRole, openOnly: true }
          const memberships = ofOrganization.map((grant) => ({ ...grant, ...asMember }))
          const granted = await grantAtSignIn(
            session,
            caller,
            times.requireAutoOrgUser ? [...named, ...memberships] : grants,
          )
          const { workspaceId, apiKeyId, actor } = caller
          const generated = {
            type: 'user_token.generated' as const,
            workspaceId,
            apiKeyId,
            userId,
            actor,
            after: { jti },
          }
          // Last, because all sign-ins share the stream of the key. They lock users, organizations and the stream in this order.
          await recordStreamEvents(session, [...profileEvents, generated])
          return { ...key, ...times, granted }
        },
      )
      const { name, email, isAdmin } = profile
      const issuedAt = Math.floor(now.getTime() / 1000)
      const since = { [SINCE_CLAIM]: tokensSince.getTime() }
      const token = await new SignJWT({ name, email, isAdmin: isAdmin ?? false, ...since })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
        .setIssuer(publicUrl())
        .setSubject(userId)
        .setAudience(caller.apiKeyId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(jti)
        .sign(await importJWK(jwk, 'ES256'))
      return { data: { token }, ...publicWarnings(caller, granted) }
    },

    async revoke(caller: Caller, { userId }: DataOf<typeof revokeTokens>): Promise<void> {
      await changeOrganizations(db, caller, [], async (session) => {
        const events = await revokeTokensOf(session, caller, [userId])
        await revokeProvided(session, caller, userId)
        if (events.length > 0) await recordStreamEvents(session, events)
      })
    },
  }
}

/** Returns the grant on the organization of the user, unless the call has entries for that organization, which may say less. */
function organizationGrants(
  userId: string,
  id: string | undefined,
  resources: readonly GrantedResource[],
): SignInGrant[] {
  if (id === undefined || resources.some((resource) => resource.type === 'organization' && resource.id === id))
    return []
  const field = 'userProperties.organizationId'
  return [{ userId, resource: { type: 'organization', id }, createOrganization: false, createResource: false, field }]
}

/** Returns the grants of a call in their order: for each resource the last grant of each kind, without grants that a later one replaces. */
function signInGrants(userId: string, resources: readonly GrantedResource[]): SignInGrant[] {
  const grants = new Map<string, SignInGrant>()
  for (const { name, resource, field } of named(resources, 'permissions.resources')) {
    const { accessRole, expiresAt, replaceExisting = false, ...target } = resource
    const [own, other] = [`${name} ${expiresAt === undefined}`, `${name} ${expiresAt !== undefined}`]
    const replaces = replaceExisting || grants.get(own)?.replaceExisting
    if (replaceExisting) for (const earlier of [own, other]) grants.delete(earlier)
    const grant = { accessRole, expiresAt, replaceExisting: replaces }
    grants.set(own, { userId, resource: target, ...grant, createOrganization: false, createResource: false, field })
  }
  return [...grants.values()]
}

/**
 * Revokes all tokens of users, each named once. Waits for sign-ins in progress of users with a profile
 * and also revokes their tokens. Returns the events,
 * which must be recorded last, because all sign-ins share the stream of the key.
 */
export async function revokeTokensOf(
  session: Session,
  { apiKeyId, workspaceId, actor }: Caller,
  userIds: readonly string[],
): Promise<StreamEvent[]> {
  const revoked = await session.runSet(
    REVOKE_TOKENS,
    userIds.map((userId) => ({ apiKeyId, userId })),
  )
  return revoked.map(({ userId, tokensSince }) => {
    const after = { tokensSince: tokensSince.getTime() }
    return { type: 'user_token.revoked', workspaceId, apiKeyId, userId, actor, after }
  })
}
