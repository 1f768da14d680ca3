/** SQL that finds tokens and API keys that nobody uses, and operators without a second factor. */
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { statement } from '#platform/db/statement.ts'
import { TOKEN_VALID } from '#tenancy/callers/token-records.ts'

/** Tokens and API keys that are unused for this long are reported. */
const UNUSED = `(coalesce($now, clock_timestamp()) - interval '${LIMITS.unusedDays} days')`

/** Lists the valid auth tokens of a key that were not used for 90 days, the longest first. */
export const FIND_UNUSED_TOKENS = statement<{ tokenId: string; name: string; since: Date; isUsed: boolean }>(
  'findings.unused-tokens',
  /* sql */ `
  select t.auth_token_id as "tokenId", t.name, coalesce(t.last_used_at, t.created_at) as since, t.last_used_at is not null as "isUsed"
    from auth_tokens t
   where t.api_key_id = $1 and ${TOKEN_VALID}
     and coalesce(t.last_used_at, t.created_at) < ${UNUSED}
   order by since limit ${LIMITS.findingsPerKindMax}`,
)

/** Lists the owners and admins of a workspace who have neither a passkey nor an account of single sign-on. */
export const FIND_WITHOUT_SECOND_FACTOR = statement<{ operatorId: string; name: string; role: string; since: Date }>(
  'findings.without-second-factor',
  /* sql */ `
  select o.operator_id as "operatorId", o.name, o.role, o.created_at as since
    from operators o
   where o.workspace_id = $1 and o.role in ('owner', 'admin')
     and not exists (select from passkeys p where p.workspace_id = $1 and p.operator_id = o.operator_id)
     and not exists (select from operator_identities i where i.workspace_id = $1 and i.operator_id = o.operator_id)
   order by o.name, o.operator_id`,
)

/** Lists the valid tokens of a workspace that were not used for 90 days. */
export const FIND_UNUSED_WORKSPACE_TOKENS = statement<{ tokenId: string; name: string; since: Date; isUsed: boolean }>(
  'findings.unused-workspace-tokens',
  /* sql */ `
  select t.workspace_token_id as "tokenId", t.name, coalesce(t.last_used_at, t.created_at) as since,
         t.last_used_at is not null as "isUsed"
    from workspace_tokens t
   where t.workspace_id = $1 and ${TOKEN_VALID} and t.replaced_at is null
     and coalesce(t.last_used_at, t.created_at) < ${UNUSED}
   order by since limit ${LIMITS.findingsPerKindMax}`,
)

export interface KeyCandidate {
  apiKey: string
  name: string
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
  createdAt: Date
  lastUsedAt: Date | null
  isUnused: boolean
}

/** Whether calls with the key `k` were counted since then: user tokens and sessions of command lines do not use its auth tokens. */
const HAS_CALLS = /* sql */ `exists (
           select from usage_days d where d.api_key_id = k.api_key_id and d.day > (${UNUSED} at time zone 'UTC')::date and d.calls > 0)`

/** Lists the API keys of a workspace that are not disabled, with the last use of their tokens. */
export const FIND_KEYS = statement<KeyCandidate>(
  'findings.keys',
  /* sql */ `
  select k.api_key_id as "apiKey", k.name, k.default_access_type as "defaultAccessType",
         k.default_access_role as "defaultAccessRole", k.created_at as "createdAt",
         t.last_used_at as "lastUsedAt", coalesce(t.last_used_at, k.created_at) < ${UNUSED} and not ${HAS_CALLS} as "isUnused"
    from api_keys k
   cross join lateral (select max(last_used_at) as last_used_at from auth_tokens t where t.api_key_id = k.api_key_id) t
   where k.workspace_id = $1 and k.disabled_at is null
   order by k.name, k.api_key_id`,
)
