/**
 * The columns with sealed secrets, each with the context in which its values are sealed (`SealContext`). Only values in
 * these columns are sealed again after a rotation of the master key.
 */

export interface SealedColumn {
  table: string
  column: string
  /** The column that the seal names, if that is not where the value is stored. */
  sealedAs?: string
  /** SQL of the row that the seal names. */
  row: string
}

const ofApiKey = (column: string): SealedColumn => ({ table: 'api_keys', column, row: 'api_key_id' })

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ofApiKey('email_service_key_sealed'),
  ofApiKey('permission_provider_token_sealed'),
  ofApiKey('signature_secret_sealed'),
  ofApiKey('webhook_service_token_sealed'),
  { table: 'auth_tokens', column: 'token_sealed', row: `encode(token_hash, 'hex')` },
  { table: 'bucket_moves', column: 'from_url_sealed', sealedAs: 'buckets.url_sealed', row: 'bucket' },
  { table: 'bucket_moves', column: 'to_url_sealed', sealedAs: 'buckets.url_sealed', row: 'bucket' },
  { table: 'buckets', column: 'url_sealed', row: 'name' },
  { table: 'idempotency_keys', column: 'answer_sealed', row: `caller || ' ' || key` },
  { table: 'invitation_mails', column: 'link_sealed', row: `workspace_id || ' ' || operator_id` },
  { table: 'signing_keys', column: 'private_key_sealed', row: `api_key_id || '/' || kid` },
  { table: 'sso_configs', column: 'client_secret_sealed', row: 'workspace_id' },
  { table: 'sso_sign_ins', column: 'test_sealed', row: 'workspace_id' },
  { table: 'webhook_endpoints', column: 'secret_sealed', row: 'endpoint_id' },
  {
    ...{ table: 'webhook_endpoints', column: 'previous_secret_sealed' },
    ...{ sealedAs: 'webhook_endpoints.secret_sealed', row: 'endpoint_id' },
  },
  {
    ...{ table: 'workspace_tokens', column: 'token_sealed' },
    ...{ sealedAs: 'workspaces.token_sealed', row: 'workspace_id' },
  },
]

/** Where a value is stored, in the words of the command. */
export const nameOfColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`
