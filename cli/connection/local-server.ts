/** Finds the embedded server of this folder: its address, and the token with which workspaces are created. */
import path from 'node:path'
import { readText } from '../text-files.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Returns whether an address is one of this machine. */
export const isOwnMachine = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '')

type Environment = Readonly<Record<string, string | undefined>>

/** Reads a line of a file in `DATA_DIR` or `./data`; undefined if there is none. */
function readLine(name: string, env: Environment): string | undefined {
  try {
    return readText(path.join(env.DATA_DIR || './data', name)).trim() || undefined
  } catch {
    return undefined
  }
}

/** Returns the address that the server of this folder wrote when it started; one that was killed leaves it behind. */
export function localServerUrl(env: Environment): string | undefined {
  const url = readLine('address', env) ?? ''
  return isOwnMachine(url) ? new URL(url).origin : undefined
}

/**
 * Returns `COMMONHOLD_SIGNUP_TOKEN`, or else the operator token of the server of this folder. The token of the file is never
 * sent to another machine.
 */
export function signupTokenFor(url: string, env: Environment): string | undefined {
  if (env.COMMONHOLD_SIGNUP_TOKEN) return env.COMMONHOLD_SIGNUP_TOKEN
  if (!isOwnMachine(url)) return undefined
  return readLine('operator.token', env)
}
