/** The SQL statements of passkeys and of the challenges for them. */
import type { WorkspaceId } from '#contract/core/ids.ts'
import { NOW, statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'

/** Adds challenge `$1`, which can be answered for five minutes. */
export const ADD_CHALLENGE = statement<never>(
  'passkey-challenges.add',
  /* sql */ `
  insert into passkey_challenges (challenge_hash, purpose, workspace_id, operator_id, expires_at)
  values ($1::bytea, $2::text, $3, $4::uuid, ${NOW} + interval '5 minutes')`,
)

/** Deletes challenge `$1`, and returns a row if it was made for this purpose and operator and has not expired: to one caller only. */
export const USE_CHALLENGE = statement<{ isValid: boolean }>(
  'passkey-challenges.use',
  /* sql */ `
  delete from passkey_challenges where challenge_hash = $1::bytea
  returning purpose = $2::text and operator_id is not distinct from $3::uuid and expires_at > ${NOW} as "isValid"`,
)

export const DELETE_EXPIRED_CHALLENGES = deletionOfOld('passkey-challenges.delete-expired', {
  table: 'passkey_challenges',
  column: 'expires_at',
})

export interface PasskeyRow {
  workspaceId: WorkspaceId
  operatorId: string
  operatorName: string
  publicKey: Buffer
  signCount: number
  transports: string[]
}

export const FIND_PASSKEY = statement<PasskeyRow>(
  'passkeys.find',
  /* sql */ `
  select p.workspace_id as "workspaceId", p.operator_id as "operatorId", o.name as "operatorName",
         p.public_key as "publicKey", p.sign_count as "signCount", p.transports
    from passkeys p
   cross join lateral (
     select name from operators o where o.workspace_id = p.workspace_id and o.operator_id = p.operator_id limit 1
   ) o
   where p.credential_id = $1::bytea`,
)

/** Records a use with the count `$2`; no row if the count has not risen, because a copy of the key or another call was first. */
export const USE_PASSKEY = statement<{ used: true }>(
  'passkeys.use',
  /* sql */ `
  update passkeys set sign_count = $2::bigint, last_used_at = ${NOW}
   where credential_id = $1::bytea and ($2::bigint > sign_count or $2::bigint = 0 and sign_count = 0)
  returning true as used`,
)

/** Adds a passkey; returns no row if the credential is already registered, with any operator. */
export const ADD_PASSKEY = statement<{ id: string }>(
  'passkeys.add',
  /* sql */ `
  insert into passkeys (credential_id, workspace_id, operator_id, name, public_key, sign_count, transports)
  values ($1::bytea, $2, $3::uuid, $4, $5::bytea, $6::bigint, $7::text[])
  on conflict (credential_id) do nothing returning passkey_id as id`,
)

export interface ListedPasskeyRow {
  id: string
  credentialId: Buffer
  name: string
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

/** Lists the passkeys of an operator, oldest first. */
export const LIST_PASSKEYS = statement<ListedPasskeyRow>(
  'passkeys.list',
  /* sql */ `
  select passkey_id as id, credential_id as "credentialId", name, transports, created_at as "createdAt",
         last_used_at as "lastUsedAt"
    from passkeys where workspace_id = $1 and operator_id = $2::uuid order by created_at, passkey_id`,
)

export const DELETE_PASSKEY = statement<{ id: string; name: string }>(
  'passkeys.delete',
  /* sql */ `
  delete from passkeys where workspace_id = $1 and operator_id = $2::uuid and passkey_id::text = $3
  returning passkey_id as id, name`,
)
