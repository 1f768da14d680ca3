/** Writes the grants that permission providers give, and ends them when their user signs out (rules/access.md#permission-providers). */
import { PERMISSION_PROVIDER } from '#contract/access/permission-provider.ts'
import type { ProvidedGrant, Provider } from '#features/permission-provider/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { Coalescer } from '#platform/queues/coalesce.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKeys } from '#tenancy/callers/keys.ts'
import { givesCommenter } from '#tenancy/writes/commenter.ts'
import { changeOrganizations, lockOrganizations } from '#tenancy/writes/organization.ts'
import { BRIEF_LOCK_TIMEOUT_MS } from '#tenancy/writes/turns.ts'
import { REMOVE_PERMISSIONS } from '../grants/statements.ts'
import { narrowedRole } from '../grants/stronger-role.ts'
import {
  type AskedProviderRow,
  FIND_PROVIDED,
  type HeldProviderRow,
  HOLD_PROVIDERS,
  HOLD_SIGNED_IN,
  PROVIDE_GRANTS,
  type ProvidedRow,
  type SignedInRow,
} from './statements.ts'

/** The grants that the provider gave to a user who was signed in when it was asked. */
interface Provided {
  caller: UserCaller
  provider: AskedProviderRow
  user: SignedInRow
  rows: ProvidedRow[]
}

/**
 * `provider_changed`: the provider that was asked was switched off or replaced meanwhile, the API key was disabled, or it
 * no longer allows what the answer gives. So the answer does not count.
 */
type Outcome = 'stored' | 'signed_out' | 'provider_changed'

export function createProvidedWrites(db: Db) {
  const writes = new Coalescer<Provided, Outcome>({
    name: PROVIDE_GRANTS.name,
    rows: ({ rows }) => rows.length,
    lane: ({ rows }) => [...new Set(rows.map(({ organizationKey }) => organizationKey))].sort().join(),
    idempotent: true,
    execute(requests, lockWait) {
      const work = (session: Session) => provide(session, requests)
      if (lockWait === 'brief') return db.transaction(work, { lockTimeoutMs: BRIEF_LOCK_TIMEOUT_MS })
      const rows = requests.flatMap((request) => request.rows)
      const keys = rows.map(({ organizationKey }) => organizationKey)
      return changeOrganizations(db, rows[0] as ProvidedRow, keys, work)
    },
  })

  return {
    /**
     * Stores grants, and returns whether the provider is still the one that was asked. Refuses if the token of the
     * caller was revoked since the call arrived, because the grants would outlive the sign-out.
     */
    async store(caller: UserCaller, provider: Provider, grants: readonly ProvidedGrant[]): Promise<boolean> {
      const { apiKeyId, userId } = caller
      const { url, tokenSealed } = provider
      const user = { apiKeyId, userId, tokensSince: new Date(caller.tokensSince) }
      const rows = rowsOf(caller, provider, grants)
      const asked = { apiKeyId, url, tokenSealed }
      const outcome = await writes.run({ caller, provider: asked, user, rows }, apiKeyId)
      if (outcome === 'signed_out') throw credentialsInvalid()
      return outcome === 'stored'
    },

    coalescers: [writes],
  }
}

function rowsOf(
  { apiKeyId, userId }: UserCaller,
  { requireKnownResources }: Provider,
  grants: readonly ProvidedGrant[],
): ProvidedRow[] {
  const keyOf = organizationKeys({ apiKeyId })
  return grants.map(({ organizationId, type, id, accessRole, expiresAt }) => ({
    organizationKey: keyOf(organizationId),
    apiKeyId,
    organizationId,
    createOrganization: !requireKnownResources,
    kind: type,
    resourceId: id,
    principal: userId,
    standingRole: null,
    temporaryRole: accessRole,
    expiresAt,
    replaces: false,
    expiringSoonSeconds: 0, // the provider is asked again after the expiry, which is no news
    knownOnly: requireKnownResources,
    actor: { system: PERMISSION_PROVIDER },
  }))
}

/**
 * Stores the provided grants of users who are still signed in, by providers that are still set. Locks API keys, users and
 * organizations in this order.
 */
async function provide(session: Session, requests: readonly Provided[]): Promise<Outcome[]> {
  const providers = requests.map(({ provider }) => provider)
  const held = new Map((await session.runSet(HOLD_PROVIDERS, providers)).map((row) => [row.ord - 1, row]))
  const current = new Set(requests.keys().filter((req) => isAllowed(held.get(req), requests[req]?.rows ?? [])))
  const users = requests.map(({ user }) => user)
  const signedIn = new Set((await session.runSet(HOLD_SIGNED_IN, users)).map(({ ord }) => ord - 1))
  const rows = requests.flatMap((request, req) =>
    current.has(req) && signedIn.has(req) ? request.rows.map((row) => ({ ...row, req })) : [],
  )
  // The last answer about a user and a resource counts.
  const latest = new Map(
    rows.map((row) => [JSON.stringify([row.organizationKey, row.kind, row.resourceId, row.principal]), row]),
  )
  const locked = latest.size > 0 ? await lockOrganizations(session, [...latest.values()]) : []
  const given = await withoutLowering(session, locked, requests)
  if (given.length > 0) await session.runSet(PROVIDE_GRANTS, given)
  return requests.map((_, req) =>
    !current.has(req) ? 'provider_changed' : signedIn.has(req) ? 'stored' : 'signed_out',
  )
}

/**
 * Returns the grants without those that would lower a role: a question about a stronger role than the user has would end
 * what the user may do. Only viewers are weaker than somebody to whom no access is missing but the role of an editor.
 */
async function withoutLowering<Row extends ProvidedRow & { req: number }>(
  session: Session,
  rows: readonly Row[],
  requests: readonly Provided[],
): Promise<Row[]> {
  const given: Row[] = []
  for (const row of rows) {
    const { kind: type, resourceId: id, organizationId, principal: userId, temporaryRole, req } = row
    const caller = requests[req]?.caller
    const resource = { type, id, organizationId }
    const isLowering =
      temporaryRole === 'viewer' &&
      caller?.hasCommenter === true &&
      (await narrowedRole(session, caller, { userId, resource }, temporaryRole)) !== undefined
    if (!isLowering) given.push(row)
  }
  return given
}

/** Whether the API key still has the provider, and the settings with which it was asked allow the grants. */
const isAllowed = (held: HeldProviderRow | undefined, rows: readonly ProvidedRow[]): boolean =>
  held !== undefined &&
  (held.hasCommenter || !rows.some(givesCommenter)) &&
  (!held.requireKnownResources || rows.every(({ knownOnly }) => knownOnly))

/**
 * Revokes the live grants that the permission provider gave a user. Runs in a transaction that has revoked the tokens of the user, so no
 * more can be stored; others may change or revoke some until their organizations are locked.
 */
export async function revokeProvided(session: Session, { apiKeyId, actor }: Caller, userId: string): Promise<void> {
  const find = () => session.run(FIND_PROVIDED, [apiKeyId, userId])
  const organizations = (await find()).map((grant) => ({ ...grant, apiKeyId, createOrganization: false }))
  if (organizations.length === 0) return
  const locked = new Set(
    (await lockOrganizations(session, organizations)).map(({ organizationKey }) => organizationKey),
  )
  const rows = (await find())
    .filter(({ organizationKey }) => locked.has(organizationKey))
    .map((grant) => ({
      ...{ ...grant, apiKeyId, createOrganization: false },
      ...{ req: 0, principal: userId, temporaryOnly: true, actor },
    }))
  if (rows.length > 0) await session.runSet(REMOVE_PERMISSIONS, rows)
}
