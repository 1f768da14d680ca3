/**
 * Asks the permission provider of an API key about resources to which the stored grants give no access
 * (rules/access.md#permission-providers, ADR 0040).
 */

import { isDeepStrictEqual } from 'node:util'
import {
  type AskedResource,
  createPermissionProviders,
  type Provider,
  ProviderFailed,
} from '#features/permission-provider/shared.ts'
import type { Kernel } from '#kernel'
import { lostRace } from '#platform/db/pg-errors.ts'
import { currentLifetime, Lifetime } from '#platform/lifetime.ts'
import { StatusError } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import type { DecisionRow, QuestionRow } from '../decision/rows.ts'
import { FIND_ASKED } from './statements.ts'
import { createProvidedWrites } from './writes.ts'

/** A question with the organization as the caller names it. */
export interface NamedQuestion extends QuestionRow {
  organizationId: string
}

/** How long asking and storing may take together; asking alone ends earlier. */
const TIMEOUT_MS = 60_000

/** How many providers are asked in turn, if one is replaced while it is asked. */
const TRIES_MAX = 3

export function createProvidedAccess({ db, use }: Kernel) {
  const providers = use(createPermissionProviders)
  const writes = createProvidedWrites(db)
  /** Questions in progress, with the calls that wait for the same answer. */
  const underWay = new Map<string, Promise<boolean>>()

  /**
   * Asks about resources and stores the provided grants. Returns whether there was anything to ask. If the provider was
   * switched off or replaced in the meantime, its answer or failure is ignored, and the provider that is set then is
   * asked.
   */
  async function obtain(caller: UserCaller, denied: readonly NamedQuestion[]): Promise<boolean> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const provider = await providers.find(caller)
      if (provider === undefined) return tries > 0
      const resources = await askedResources(denied, provider)
      if (resources.length === 0) return tries > 0
      const grants = await providers.ask(caller, provider, resources).catch(async (error: unknown) => {
        if (await isCurrent(caller, provider)) throw error
        return undefined
      })
      if (grants === undefined) continue
      if (await (grants.length > 0 ? writes.store(caller, provider, grants) : isCurrent(caller, provider))) return true
    }
    throw lostRace('the permission provider was changed while it was asked')
  }

  /** Returns whether the provider of the API key is still the given one. */
  async function isCurrent(caller: UserCaller, { url, tokenSealed }: Provider): Promise<boolean> {
    const now = await providers.find(caller)
    return now?.url === url && isDeepStrictEqual(now.tokenSealed, tokenSealed)
  }

  /** Does the same once for all calls that have the same question now. It does not end with the call that began it. */
  function obtainTogether(caller: UserCaller, denied: readonly NamedQuestion[]): Promise<boolean> {
    const { apiKeyId, userId, tokensSince, providerVersion, workspaceId: tenant } = caller
    const named = denied.map(({ organizationKey, kind, resourceId }) => [organizationKey, kind, resourceId])
    const name = JSON.stringify([apiKeyId, userId, tokensSince, providerVersion, named])
    const joined = underWay.get(name)
    if (joined !== undefined) return joined
    const charge = currentLifetime()?.charge ?? (() => {})
    const lifetime = new Lifetime({ name: 'permission provider', tenant, timeoutMs: TIMEOUT_MS, charge })
    const begun = lifetime.run(() => obtain(caller, denied)).finally(() => underWay.delete(name))
    underWay.set(name, begun)
    return begun
  }

  return {
    /**
     * Asks, in one request, about every denied question that a grant could allow, and stores the provided grants. Returns
     * whether the provider was asked; if it was, the decisions must be made again. Throws if the provider fails.
     */
    async ask(
      caller: UserCaller,
      questions: readonly NamedQuestion[],
      decisions: readonly DecisionRow[],
    ): Promise<boolean> {
      const denied = questions.filter((_, index) => couldBeGranted(decisions[index]))
      return denied.length > 0 && obtainTogether(caller, denied).catch(asRefusal)
    },

    coalescers: writes.coalescers,
  }

  /**
   * Returns the resources of questions, each once, without resources in disabled organizations and unknown resources that the
   * API key requires to be known.
   */
  async function askedResources(
    denied: readonly NamedQuestion[],
    { requireKnownResources }: Provider,
  ): Promise<AskedResource[]> {
    const distinct = new Map(denied.map((one) => [JSON.stringify([one.organizationId, one.kind, one.resourceId]), one]))
    const named = [...distinct.values()]
    const found = await db.runSet(FIND_ASKED, named)
    return named.flatMap(({ kind: type, resourceId: id, organizationId }, index) => {
      const { isDisabled = false, isAdded = false, parentFolderId = null } = found[index] ?? {}
      if (isDisabled || (requireKnownResources && !isAdded)) return []
      return [{ type, id, organizationId, ...(parentFolderId === null ? {} : { parentFolderId }) }]
    })
  }
}

const COULD_BE_GRANTED: readonly DecisionRow['reason'][] = ['no_grant', 'grant_expired', 'does_not_exist']

/** Whether a grant could change the decision: not if something is disabled, or the document has another id now. */
const couldBeGranted = (decision: DecisionRow | undefined): boolean =>
  decision !== undefined &&
  !decision.allowed &&
  decision.migratedTo === null &&
  COULD_BE_GRANTED.includes(decision.reason)

function asRefusal(error: unknown): never {
  if (!(error instanceof ProviderFailed)) throw error
  const { message, failure } = error
  throw new StatusError('UNAVAILABLE', 'permission_provider_failed', message, {
    details: { cause: failure },
    cause: error,
  })
}
