/** User tokens: JWTs that identify a user to a front end, and ending those of a user (rules/keys.md#user-tokens). */
import { randomUUID } from 'node:crypto'
import { importJWK, type JWK, SignJWT } from 'jose'
import type { DataOf } from '#contract/operation.ts'
import type { GrantedResource, ResourceName } from '#contract/permissions.ts'
import type { generateToken, revokeTokens } from '#contract/user-tokens.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { lostRace } from '#platform/db/pg-errors.ts'
import type { Caller } from '#tenancy/caller.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events.ts'
import { organizationKey, owningOrganization } from '#tenancy/keys.ts'
import { changeOrganizations } from '#tenancy/organization-writes.ts'
import { SINCE_CLAIM } from './check.ts'
import { GET_TOKEN_TIMES, REVOKE_TOKENS } from './statements.ts'

interface Grant {
  userId: string
  resource: ResourceName
  accessRole: GrantedResource['accessRole']
  expiresAt: number | undefined
  createOrganization: false
  createResource: false
  field: string
}

export interface UserTokensDeps {
  db: Db
  /** The `iss` of tokens. */
  publicUrl: () => string
  /** Of the signing keys slice. */
  signingKey(session: Session, caller: Caller): Promise<{ jwk: JWK; kid: string }>
  /** Of the users slice: merges the profile in a transaction of the caller's, and holds the user until its end; answers the events to record. */
  storeProfile(session: Session, caller: Caller, userId: string, profile: object): Promise<StreamEvent[]>
  /** Of the permissions slice. */
  grantAtSignIn(session: Session, caller: Caller, grants: readonly Grant[]): Promise<void>
  uniqueResources(resources: readonly GrantedResource[]): { resource: GrantedResource; field: string }[]
}

export type UserTokens = ReturnType<typeof createUserTokens>

export function createUserTokens({
  db,
  publicUrl,
  signingKey,
  storeProfile,
  grantAtSignIn,
  uniqueResources,
}: UserTokensDeps) {
  return {
    async generate(
      caller: Caller,
      { userId, userProperties = {}, permissions }: DataOf<typeof generateToken>,
    ): Promise<{ token: string }> {
      const grants = uniqueResources(permissions?.resources ?? []).map(
        ({ resource, field }): Grant => ({
          userId,
          resource,
          accessRole: resource.accessRole,
          expiresAt: resource.expiresAt,
          createOrganization: false,
          createResource: false,
          field,
        }),
      )
      const organizations = grants.map(({ resource }) => organizationKey(caller, owningOrganization(resource)))
      const jti = randomUUID()
      const { jwk, kid, now, tokensSince, lifetimeSeconds } = await changeOrganizations(
        db,
        organizations,
        async (session) => {
          const profileEvents = await storeProfile(session, caller, userId, userProperties)
          const [times] = await session.run(GET_TOKEN_TIMES, [caller.apiKeyId, userId])
          if (times === undefined) throw lostRace('a user was erased while signing in')
          const key = await signingKey(session, caller)
          await grantAtSignIn(session, caller, grants)
          const { workspaceId, apiKeyId, actor } = caller
          const generated = {
            type: 'user_token.generated' as const,
            workspaceId,
            apiKeyId,
            userId,
            actor,
            after: { jti },
          }
          // Last: the stream of the key is what sign-ins share, and all of them lock users, organizations, stream in this order.
          await recordStreamEvents(session, [...profileEvents, generated])
          return { ...key, ...times }
        },
      )
      const { name, email, isAdmin } = userProperties
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
      return { token }
    },

    /** Waits for a sign-in of the user that is under way, and ends its token too. */
    async revoke({ apiKeyId, workspaceId, actor }: Caller, { userId }: DataOf<typeof revokeTokens>): Promise<void> {
      await changeOrganizations(db, [], async (session) => {
        const [revoked] = await session.run(REVOKE_TOKENS, [apiKeyId, userId])
        if (revoked === undefined) return
        const after = { tokensSince: revoked.tokensSince.getTime() }
        await recordStreamEvents(session, [{ type: 'user_token.revoked', workspaceId, apiKeyId, userId, actor, after }])
      })
    },
  }
}
