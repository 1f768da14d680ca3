/** The calls with which the command line signs in as a person, and those about its session (ADR 0047). */
import os from 'node:os'
import type { CommandLineSession, DeviceCodes, DevicePoll, DeviceRequest } from '#contract/workspace/device-sign-in.ts'
import { call } from '#sdk/call.ts'
import { callerOf } from '#sdk/client.ts'
import type { ServerOptions } from '#sdk/options.ts'
import { serverOf } from '#sdk/server.ts'
import { VERSION } from '../version.ts'

export const personOf = ({ name, email }: CommandLineSession['operator']): string =>
  name === email ? email : `${name} <${email}>`

/** Returns the name by which the approving person recognizes this machine. */
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
    start: async (data: DeviceRequest) => (await ask('device/start', data)) as DeviceCodes,
    poll: async (deviceCode: string) => (await ask('device/poll', { deviceCode })) as DevicePoll,
    whoIsSignedIn: async (session: string) => (await ask('command-line/get', {}, session)) as CommandLineSession,
    end: async (session: string): Promise<void> => {
      await ask('command-line/end', {}, session)
    },
  }
}
