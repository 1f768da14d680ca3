/** The SQL statements of the domains of single sign-on. Those that change something run under the lock of the workspace. */
import type { WorkspaceId } from '#contract/core/ids.ts'
import { statement } from '#platform/db/statement.ts'

export interface DomainRow {
  domain: string
  verifiedAt: Date | null
}

export const GET_SSO_DOMAINS = statement<DomainRow>(
  'sso-domains.get',
  'select domain, verified_at as "verifiedAt" from sso_domains where workspace_id = $1 order by domain',
)

/** Deletes the domains that are not named, and inserts those that are new, not verified. */
export const SET_SSO_DOMAINS = statement<never>(
  'sso-domains.set',
  /* sql */ `
  with removed as (
    delete from sso_domains where workspace_id = $1 and domain <> all ($2::text[])
  )
  insert into sso_domains (workspace_id, domain)
  select $1, domain from unnest($2::text[]) as domain
  on conflict (workspace_id, domain) do nothing`,
)

/** Returns and locks the workspace that has verified a domain. */
export const LOCK_HOLDER = statement<{ workspaceId: WorkspaceId }>(
  'sso-domains.lock-holder',
  /* sql */ `
  select workspace_id as "workspaceId" from sso_domains where domain = $1 and verified_at is not null for update`,
)

export const SET_VERIFIED = statement<never>(
  'sso-domains.set-verified',
  /* sql */ `
  update sso_domains set verified_at = coalesce($now, clock_timestamp()) where workspace_id = $1 and domain = $2`,
)

export const SET_UNVERIFIED = statement<never>(
  'sso-domains.set-unverified',
  'update sso_domains set verified_at = null where workspace_id = $1 and domain = $2',
)

/** Returns the workspace that has verified a domain, if its operators can sign in with a provider. */
export const FIND_WORKSPACE_OF_DOMAIN = statement<{ workspaceId: WorkspaceId }>(
  'sso-domains.find-workspace',
  /* sql */ `
  select d.workspace_id as "workspaceId"
    from sso_domains d
    join sso_configs c on c.workspace_id = d.workspace_id
   where d.domain = $1 and d.verified_at is not null and c.enabled`,
)
