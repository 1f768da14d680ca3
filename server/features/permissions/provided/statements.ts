/** The SQL statements of grants that a permission provider gives (rules/access.md#permission-providers). */

import type { ResourceType } from '#contract/access/permissions.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { SystemActor } from '#tenancy/callers/caller.ts'
import { CLOCK_NOW, isLiveUntil } from '#tenancy/grants.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { EACH_ONCE, granting } from '../grants/granting.ts'
import { GRANT_COLUMNS, type GrantRow } from '../grants/rows.ts'

export interface AskedResourceRow {
  organizationKey: OrganizationKey
  kind: ResourceType
  resourceId: string
}

/** The facts about a resource that a provider needs, and whether it is asked about the resource. */
export interface AskedRow {
  isDisabled: boolean
  isAdded: boolean
  /** The folder of a document in a folder. */
  parentFolderId: string | null
}

/** Looks up resources to ask about; returns one row for each input row. */
export const FIND_ASKED = setStatement<AskedResourceRow, AskedRow>(
  'permissions.find-asked',
  { organizationKey: 'uuid', kind: 'resource_kind', resourceId: 'text' },
  /* sql */ `
  select coalesce(o.disabled, false) as "isDisabled", r.added_at is not null as "isAdded", f.id as "parentFolderId"
    from $input
    left join lateral (
      select o.disabled from organizations o where o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.added_at, r.folder_key from resources r
       where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
    ) r on true
    left join lateral (
      select f.id from resources f
       where item.kind = 'document' and f.organization_key = item.organization_key and f.resource_key = r.folder_key limit 1
    ) f on true
   order by item.ord`,
)

export interface AskedProviderRow {
  apiKeyId: ApiKeyId
  url: string
  tokenSealed: Buffer | null
}

/** The settings of an API key that limit the grants of its provider. */
export interface HeldProviderRow {
  ord: number
  hasCommenter: boolean
  requireKnownResources: boolean
}

/**
 * Returns the numbers of the API keys whose provider is still that, with their settings; none that is disabled. Holds
 * them until the transaction ends: a change of the settings waits.
 */
export const HOLD_PROVIDERS = setStatement<AskedProviderRow, HeldProviderRow>(
  'permissions.hold-providers',
  { apiKeyId: 'text', url: 'text', tokenSealed: 'bytea' },
  /* sql */ `
  with held as materialized (
    select k.api_key_id, k.permission_provider_config ->> 'permissionProviderUrl' as url, k.permission_provider_token_sealed as token_sealed,
           k.has_commenter, k.require_known_resources
      from api_keys k
     where k.api_key_id in (select api_key_id from $input) and k.use_permission_provider and k.disabled_at is null
     order by k.api_key_id for share
  )
  select item.ord::int, held.has_commenter as "hasCommenter", held.require_known_resources as "requireKnownResources"
    from $input
    join held on held.api_key_id = item.api_key_id and held.url = item.url and held.token_sealed is not distinct from item.token_sealed`,
)

export interface SignedInRow {
  apiKeyId: ApiKeyId
  userId: string
  tokensSince: Date
}

/** Returns the numbers of the users whose tokens are still those, and holds them until the transaction ends: a sign-out waits. */
export const HOLD_SIGNED_IN = setStatement<SignedInRow, { ord: number }>(
  'permissions.hold-signed-in',
  { apiKeyId: 'text', userId: 'text', tokensSince: 'timestamptz' },
  /* sql */ `
  with held as materialized (
    select u.api_key_id, u.user_id, u.tokens_since from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from $input)
     order by u.api_key_id, u.user_id for share
  )
  select item.ord::int from $input
    join held on held.api_key_id = item.api_key_id and held.user_id = item.user_id and held.tokens_since = item.tokens_since`,
)

export interface ProvidedRow extends Omit<GrantRow, 'actor'> {
  actor: SystemActor
}

/**
 * Writes temporary grants of users, at most one of each user and resource. Skips grants that have expired since the
 * answer, and resources that cannot be granted now. A live temporary grant that somebody else gave stays. Runs under
 * the lock of its organizations.
 */
export const PROVIDE_GRANTS = setStatement<ProvidedRow & RequestRow, never>(
  'permissions.provide',
  { ...GRANT_COLUMNS, apiKeyId: 'text' },
  granting({
    accepted: /* sql */ `select * from named
     where outcome = 'ok' and ${isLiveUntil('expires_at', CLOCK_NOW)}
       and not (coalesce(${isLiveUntil('old_expires_at', CLOCK_NOW)}, false) and old_provided_by is null)`,
    order: EACH_ONCE,
    providedBy: 'api_key_id',
    returns: 'select null where false',
  }),
)

export interface FoundProvided {
  organizationKey: OrganizationKey
  organizationId: string
  kind: ResourceType
  resourceId: string
}

/** Lists the live grants that the provider of API key `$1` gave user `$2`. */
export const FIND_PROVIDED = statement<FoundProvided>(
  'permissions.find-provided',
  /* sql */ `
  select g.organization_key as "organizationKey", o.organization_id as "organizationId", g.kind, r.id as "resourceId"
    from grants g
   cross join lateral (
      select o.organization_id from organizations o where o.organization_key = g.organization_key limit 1
   ) o
   cross join lateral (
      select r.id from resources r where r.organization_key = g.organization_key and r.resource_key = g.resource_key limit 1
   ) r
   where g.provided_by = $1 and g.principal = $2 and ${isLiveUntil('g.expires_at')}`,
)
