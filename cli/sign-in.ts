/** The calls with which the command line signs in as a person, and those about its session (ADR 0047). */
import os from 'node:os'
import { call } from '#sdk/call.ts'
import { callerOf } from '#sdk/client.ts'
import type { ServerOptions } from '#sdk/options.ts'
import { serverOf } from '#sdk/server.ts'
import { VERSION } from './version.ts'

/** What the server returns to a machine that asks to be signed in. */
export interface DeviceCodes {
  /** The secret of this machine. */
  deviceCode: string
  /** What the person types in the console. */
  userCode: string
  verificationUrl: string
  expiresInSeconds: number
  intervalSeconds: number
}

/** Who is signed in. Times are in milliseconds. */
export interface SignedInPerson {
  workspaceId: string
  workspaceName: string
  operator: { id: string; name: string; email: string; role: string }
  machine: string
  /** When the session ends if it is used no more, and when at the latest. */
  endsAt: number
  expiresAt: number
}

/** The words of RFC 8628. */
export type Poll =
  | { state: 'authorization_pending' | 'slow_down'; intervalSeconds: number }
  | { state: 'access_denied' | 'expired_token' }
  | ({ state: 'approved'; session: string } & SignedInPerson)

export const personOf = ({ name, email }: SignedInPerson['operator']): string =>
  name === email ? email : `${name} <${email}>`

/** Returns what the person who approves knows this machine by. */
export function machineName(): string {
  try {
    return `${os.userInfo().username}@${os.hostname()}`
  } catch {
    return os.hostname()
  }
}

export function signInCalls(options: ServerOptions) {
  const agent = { 'user-agent': `commonhold/${VERSION} (${os.platform()})` }
  const ask = async (name: string, data: object, session?: string): Promise<unknown> => {
    const token = session === undefined ? {} : { [serverOf(options).header('auth-token')]: session }
    const caller = callerOf(options, () => ({ ...agent, ...token }), '')
    return (await call(caller, name, `/console/${name} once`, data, { triesMax: 1 })).data
  }
  return {
    start: async (data: { machine: string; workspaceId?: string }) => (await ask('device/start', data)) as DeviceCodes,
    poll: async (deviceCode: string) => (await ask('device/poll', { deviceCode })) as Poll,
    whoIsSignedIn: async (session: string) => (await ask('command-line/get', {}, session)) as SignedInPerson,
    end: async (session: string): Promise<void> => {
      await ask('command-line/end', {}, session)
    },
  }
}
