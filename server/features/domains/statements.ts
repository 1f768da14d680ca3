/** The SQL statements of allowed domains. */
import { statement } from '#platform/db/statement.ts'

export const GET_DOMAINS = statement<{ domains: string[] }>(
  'domains.get',
  'select allowed_domains as domains from api_keys where api_key_id = $1',
)

/** Runs under the lock of the key. */
export const SET_DOMAINS = statement<never>(
  'domains.set',
  'update api_keys set allowed_domains = $2::text[] where api_key_id = $1',
)
