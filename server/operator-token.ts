/** The operator token of an embedded installation: whoever can read it in the data folder may create workspaces and read the metrics. */
import path from 'node:path'
import type { Db } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { readOrCreateSecret } from '#platform/secret-file.ts'
import { createToken } from '#platform/tokens.ts'
import type { Config } from './config.ts'
import { ConfigError } from './setting-values.ts'

const LENGTH_MIN = 16
const PREFIX = 'cho_'

export const HAS_WORKSPACE = statement<{ found: boolean }>(
  'installation.has-workspace',
  'select exists (select from workspaces) as found',
)

/**
 * Returns the settings with the token of `DATA_DIR/operator.token` in place of a `SIGNUP_TOKEN` and a `METRICS_TOKEN` that are
 * not set. The first start creates the file; another token can be written into it. PostgreSQL has no data folder: there both
 * stay closed until the operator sets them.
 */
export function withOperatorToken(config: Config): Config {
  if (config.DATABASE_URL !== undefined) return config
  const file = path.join(config.DATA_DIR, 'operator.token')
  const token = readOrCreateSecret(file, () => createToken(PREFIX))
  if (token.length < LENGTH_MIN)
    throw new ConfigError(`${file} must hold a token of at least ${LENGTH_MIN} characters; delete it to get a new one.`)
  return { ...config, SIGNUP_TOKEN: config.SIGNUP_TOKEN ?? token, METRICS_TOKEN: config.METRICS_TOKEN ?? token }
}

/** Returns the address at which the console creates the first workspace; undefined if there is one, or nobody has a token for it. */
export async function firstVisitUrl(
  { SIGNUP, SIGNUP_TOKEN, DATABASE_URL }: Config,
  db: Db,
  url: string,
): Promise<string | undefined> {
  // A token that the operator has set is not repeated in the output.
  if (DATABASE_URL !== undefined || SIGNUP !== 'token' || !SIGNUP_TOKEN?.startsWith(PREFIX)) return undefined
  const [row] = await db.run(HAS_WORKSPACE)
  return row?.found === true ? undefined : `${url}/console#signup=${SIGNUP_TOKEN}`
}
