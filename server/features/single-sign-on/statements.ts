/** The SQL statements of single sign-on. Statements that change settings or accounts run under the lock of the workspace. */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { SsoRoleRule } from '#contract/workspace/sso-config.ts'
import { NOW, statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'

export interface ConfigRow {
  enabled: boolean
  issuer: string
  clientId: string
  sealed: Buffer | null
  roles: SsoRoleRule[]
}

export const GET_SSO_CONFIG = statement<ConfigRow>(
  'sso-config.get',
  /* sql */ `
  select enabled, issuer, client_id as "clientId", client_secret_sealed as sealed, roles
    from sso_configs where workspace_id = $1`,
)

export const SET_SSO_CONFIG = statement<never>(
  'sso-config.update',
  /* sql */ `
  insert into sso_configs (workspace_id, enabled, issuer, client_id, client_secret_sealed, roles)
  values ($1, $2, $3, $4, $5::bytea, $6::jsonb)
  on conflict (workspace_id) do update
     set enabled = excluded.enabled, issuer = excluded.issuer, client_id = excluded.client_id,
         client_secret_sealed = excluded.client_secret_sealed, roles = excluded.roles`,
)

/** Inserts a sign-in that counts for `$6` seconds; of a test with its settings, sealed. */
export const ADD_SSO_SIGN_IN = statement<{ expiresAt: Date }>(
  'sso-sign-ins.add',
  /* sql */ `
  insert into sso_sign_ins (state_hash, browser_hash, workspace_id, issuer, client_id, expires_at, test_sealed)
  values ($1::bytea, $2::bytea, $3, $4, $5, ${NOW} + $6::int * interval '1 second', $7::bytea)
  returning expires_at as "expiresAt"`,
)

export interface SignInRow {
  workspaceId: WorkspaceId
  issuer: string
  clientId: string
  /** Null: a sign-in, and no test. */
  testSealed: Buffer | null
}

/**
 * Uses a sign-in of workspace `$3` up, and returns it: to one caller only, who has the cookie of the browser that started
 * it.
 */
export const USE_SSO_SIGN_IN = statement<SignInRow>(
  'sso-sign-ins.use',
  /* sql */ `
  delete from sso_sign_ins
   where state_hash = $1::bytea and browser_hash = $2::bytea and (workspace_id = $3::text) is true and expires_at > ${NOW}
  returning workspace_id as "workspaceId", issuer, client_id as "clientId", test_sealed as "testSealed"`,
)

/** Uses up a test that no browser has opened yet, and returns it. */
export const USE_SSO_TEST = statement<SignInRow>(
  'sso-sign-ins.use-test',
  /* sql */ `
  delete from sso_sign_ins
   where state_hash = $1::bytea and browser_hash = '' and test_sealed is not null and expires_at > ${NOW}
  returning workspace_id as "workspaceId", issuer, client_id as "clientId", test_sealed as "testSealed"`,
)

/** Deletes sign-ins that never came back. */
export const DELETE_OLD_SSO_SIGN_INS = deletionOfOld('sso-sign-ins.delete-old', {
  table: 'sso_sign_ins',
  column: 'expires_at',
})

/** Returns the operator of an account at a provider. */
export const FIND_IDENTITY = statement<{ operatorId: string; hasRoleOfRule: boolean }>(
  'operator-identities.find',
  /* sql */ `
  select operator_id as "operatorId", has_role_of_rule as "hasRoleOfRule"
    from operator_identities where workspace_id = $1 and issuer = $2 and subject = $3`,
)

/** Returns a row if the operator has an account at the provider. */
export const HAS_IDENTITY = statement<{ subject: string }>(
  'operator-identities.has',
  'select subject from operator_identities where workspace_id = $1 and operator_id = $2::uuid and issuer = $3',
)

/**
 * Returns a row if the role of an operator comes from the rules of the provider with which operators sign in now. Owners are left
 * out: they must be able to mend single sign-on.
 */
export const FIND_PROVIDER_OF_ROLE = statement<{ issuer: string }>(
  'operator-identities.find-provider-of-role',
  /* sql */ `
  select i.issuer
    from operator_identities i
    join sso_configs c on c.workspace_id = i.workspace_id and c.issuer = i.issuer and c.enabled
    join operators o on o.workspace_id = i.workspace_id and o.operator_id = i.operator_id and o.role <> 'owner'
   where i.workspace_id = $1 and i.operator_id = $2::uuid and i.has_role_of_rule`,
)

export const ADD_IDENTITY = statement<never>(
  'operator-identities.add',
  /* sql */ `
  insert into operator_identities (workspace_id, issuer, subject, operator_id, has_role_of_rule)
  values ($1, $2, $3, $4::uuid, $5)`,
)

/** Records that the role came from the rules. */
export const RECORD_ROLE_OF_RULE = statement<never>(
  'operator-identities.record-role',
  /* sql */ `
  update operator_identities set has_role_of_rule = true
   where workspace_id = $1 and issuer = $2 and subject = $3 and not has_role_of_rule`,
)
