/** User tokens: JWTs that identify a user to a front end, and the keys that verify them (decisions D3). */
import { randomUUID } from 'node:crypto'
import { importJWK, type JWK, SignJWT } from 'jose'
import type { DataOf } from '#contract/operation.ts'
import type { GrantedResource, ResourceName } from '#contract/permissions.ts'
import type { generateToken } from '#contract/user-tokens.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Sealer } from '#platform/seal.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import { isWellFormedToken } from '#platform/tokens.ts'
import type { Caller } from '#tenancy/caller.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events.ts'
import { organizationKey, owningOrganization } from '#tenancy/keys.ts'
import { changeOrganizations } from '#tenancy/organization-writes.ts'
import { GET_PUBLIC_KEYS, GET_SIGNING_KEY } from './statements.ts'

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
  sealer: Sealer
  /** The `iss` of tokens. */
  publicUrl: () => string
  /** Of the users slice: merges the profile in a transaction of the caller's; answers the events to record. */
  storeProfile(session: Session, caller: Caller, userId: string, profile: object): Promise<StreamEvent[]>
  /** Of the permissions slice. */
  grantAtSignIn(session: Session, caller: Caller, grants: readonly Grant[]): Promise<void>
  uniqueResources(resources: readonly GrantedResource[]): { resource: GrantedResource; field: string }[]
}

export type UserTokens = ReturnType<typeof createUserTokens>

export function createUserTokens({
  db,
  sealer,
  publicUrl,
  storeProfile,
  grantAtSignIn,
  uniqueResources,
}: UserTokensDeps) {
  async function signingKey(
    session: Session,
    { apiKeyId }: Caller,
  ): Promise<{ jwk: JWK; kid: string; lifetimeSeconds: number }> {
    const [signing] = await session.run(GET_SIGNING_KEY, [apiKeyId])
    if (signing === undefined) throw credentialsInvalid() // the key was deleted at this moment
    const { kid, sealed, lifetimeSeconds } = signing
    const opened = sealer.open(sealed, { column: 'signing_keys.private_key_sealed', row: `${apiKeyId}/${kid}` })
    return { jwk: JSON.parse(opened), kid, lifetimeSeconds }
  }

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
      const { jwk, kid, lifetimeSeconds } = await changeOrganizations(db, organizations, async (session) => {
        const key = await signingKey(session, caller)
        const profileEvents = await storeProfile(session, caller, userId, userProperties)
        await grantAtSignIn(session, caller, grants)
        const { workspaceId, apiKeyId, actor } = caller
        const generated = { type: 'user_token.generated', workspaceId, apiKeyId, userId, actor, after: { jti } }
        // Last: the stream of the key is what sign-ins share, and all of them lock users, organizations, stream in this order.
        await recordStreamEvents(session, [...profileEvents, generated])
        return key
      })
      const { name, email, isAdmin } = userProperties
      const token = await new SignJWT({ name, email, isAdmin: isAdmin ?? false })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
        .setIssuer(publicUrl())
        .setSubject(userId)
        .setAudience(caller.apiKeyId)
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .setJti(jti)
        .sign(await importJWK(jwk, 'ES256'))
      return { token }
    },

    /** A JSON Web Key Set (RFC 7517). An unknown API key has an empty one: whether it exists is nobody's business. */
    async publicKeys(apiKey: string): Promise<{ keys: object[] }> {
      if (!isWellFormedToken(apiKey)) return { keys: [] }
      return { keys: (await db.run(GET_PUBLIC_KEYS, [apiKey])).map(({ jwk }) => jwk) }
    },
  }
}
