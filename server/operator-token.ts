/**
 * The operator token of an embedded installation: anybody who can read it in the data folder may create workspaces and read the
 * metrics. Also the link of the first visit, which the server prints when it starts.
 */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { HAS_WORKSPACE } from '#features/workspaces/statements.ts'
import type { Db } from '#platform/db/db.ts'
import { readOrCreateSecret } from '#platform/secrets/secret-file.ts'
import { createToken } from '#platform/secrets/tokens.ts'
import type { Config } from './config.ts'
import { ConfigError } from './setting-values.ts'

const LENGTH_MIN = 16
const PREFIX = 'cho_'

/**
 * Returns the settings with the token of `DATA_DIR/operator.token` in place of a `SIGNUP_TOKEN` and a `METRICS_TOKEN`
 * that are not set. The first start creates the file; another token can be written into it. With PostgreSQL there is no
 * data folder: both stay closed until the operator sets them.
 */
export function withOperatorToken(config: Config): Config {
  if (config.DATABASE_URL !== undefined) return config
  const file = path.join(config.DATA_DIR, 'operator.token')
  const token = readOrCreateSecret(file, () => createToken(PREFIX))
  if (token.length < LENGTH_MIN)
    throw new ConfigError(`${file} must hold a token of at least ${LENGTH_MIN} characters; delete it to get a new one.`)
  return { ...config, SIGNUP_TOKEN: config.SIGNUP_TOKEN ?? token, METRICS_TOKEN: config.METRICS_TOKEN ?? token }
}

/** Whether a start can print a way to create the first workspace. A token that the operator has set is not repeated in the output. */
const isOpenToFirstVisit = ({ SIGNUP, SIGNUP_TOKEN, DATABASE_URL }: Config): boolean =>
  DATABASE_URL === undefined && SIGNUP === 'token' && SIGNUP_TOKEN?.startsWith(PREFIX) === true

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/

/** Whether only people of this machine can call the server: it has no name, no proxy before it, and listens to no network. */
const isOnOwnMachine = ({ HOST, PUBLIC_URL, TRUST_PROXY }: Config): boolean =>
  LOOPBACK.test(HOST) && PUBLIC_URL === undefined && TRUST_PROXY === undefined

/**
 * Returns the secret with which the console creates the first workspace and signs in its owner, once; undefined where
 * others can call the server.
 */
export const createFirstVisitToken = (config: Config): string | undefined =>
  isOpenToFirstVisit(config) && isOnOwnMachine(config) ? randomBytes(32).toString('base64url') : undefined

/**
 * Returns how to create the first workspace; undefined if there is one. If others can call the server, the address has
 * the operator token, which is no sign-in. A token that the operator has set is mentioned, but not shown.
 */
export async function firstVisitAdvice(
  config: Config,
  db: Db,
  url: string,
  firstVisitToken: string | undefined,
): Promise<string | undefined> {
  const [row] = await db.run(HAS_WORKSPACE)
  if (row?.found === true) return undefined
  if (config.SIGNUP === 'closed')
    return 'There is no workspace yet, and nobody may create one. To create the first, set SIGNUP=token\nand SIGNUP_TOKEN (openssl rand -hex 24), and start again.'
  const secret = firstVisitToken === undefined ? `signup=${config.SIGNUP_TOKEN}` : `welcome=${firstVisitToken}`
  return isOpenToFirstVisit(config)
    ? `Create your first workspace in the console:\n${url}/console#${secret}`
    : `Create your first workspace in the console under “No workspace yet?”${config.SIGNUP === 'token' ? ', with SIGNUP_TOKEN' : ''}:\n${url}/console`
}
