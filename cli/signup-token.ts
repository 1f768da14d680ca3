/** Finds the token with which workspaces are created. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Returns `COMMONHOLD_SIGNUP_TOKEN`, or else the operator token of an embedded server on this machine, from `DATA_DIR` or
 * `./data`. The token of the file is never sent to another machine.
 */
export function signupTokenFor(url: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.COMMONHOLD_SIGNUP_TOKEN) return env.COMMONHOLD_SIGNUP_TOKEN
  if (!LOOPBACK.test(URL.parse(url)?.hostname ?? '')) return undefined
  try {
    return readFileSync(path.join(env.DATA_DIR || './data', 'operator.token'), 'utf8').trim() || undefined
  } catch {
    return undefined // another server's folder, or none: the server says what is missing
  }
}
