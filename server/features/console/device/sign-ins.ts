/**
 * Signs in the command line with a device code (RFC 8628, ADR 0047): a machine requests it, an operator approves in the console, and the
 * machine exchanges its code for a session of that operator (rules/operators.md#the-command-line).
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { CommandLineSession, DeviceCodes, DevicePoll, DeviceRequest } from '#contract/workspace/device-sign-in.ts'
import { createOperators } from '#features/operators/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { createToken, tokenHash } from '#platform/secrets/tokens.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { type OperatorSession, requireFresh } from '../sessions/operator-sessions.ts'
import { endSession, type Origin, USER_AGENT_CHARACTERS_MAX } from '../sessions/sessions.ts'
import {
  ADD_DEVICE_AUTHORIZATION,
  APPROVE_DEVICE_AUTHORIZATION,
  DELETE_DEVICE_AUTHORIZATION,
  DENY_DEVICE_AUTHORIZATION,
  DEVICE_CODE_SECONDS,
  type DeviceRow,
  FIND_DEVICE_AUTHORIZATION,
  GET_COMMAND_LINE,
  POLL_DEVICE_AUTHORIZATION,
  POLL_SECONDS,
  REDEEM_DEVICE_AUTHORIZATION,
} from './statements.ts'

/** Without vowels, so that codes form no words, and without letters that look like digits (RFC 8628, section 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_CHARACTERS = 8

/** How often a new user code is drawn; one in 25,600,000,000 is taken by each authorization under way. */
const DRAWS_MAX = 5

const newUserCode = (): string =>
  Array.from({ length: USER_CODE_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** Returns the code as it is stored, however it was typed. */
const storedCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '')

export type DeviceSignIns = ReturnType<typeof createDeviceSignIns>

export function createDeviceSignIns({ db, publicUrl, use }: Pick<Kernel, 'db' | 'publicUrl' | 'use'>) {
  const operators = use(createOperators)

  async function read(session: Session, secret: string): Promise<CommandLineSession | undefined> {
    const [row] = await session.run(GET_COMMAND_LINE, [tokenHash(secret)])
    if (row === undefined) return undefined
    const { operatorId, name, email, role, endsAt, expiresAt, ...more } = row
    const operator = { id: operatorId, name, email, role }
    return { ...more, operator, endsAt: endsAt.getTime(), expiresAt: expiresAt.getTime() }
  }

  /** Uses the device code up, and starts the session. Of two calls with one code, one gets the session. */
  const redeem = (deviceCode: string, of: Pick<OperatorSession, 'workspaceId'>, address: string): Promise<DevicePoll> =>
    changeWorkspace(db, of, async (session) => {
      const secret = createToken('chs_')
      const values = [tokenHash(deviceCode), tokenHash(secret), address]
      const [redeemed] = await session.run(REDEEM_DEVICE_AUTHORIZATION, values)
      const started = redeemed === undefined ? undefined : await read(session, secret)
      if (redeemed === undefined || started === undefined) return { state: 'expired_token' }
      const { operatorId, operatorName, machine } = redeemed
      await operators.recordSeen(session, of.workspaceId, operatorId)
      const actor = { operator: { id: operatorId, name: operatorName }, address }
      const after = { operatorId, method: 'device', machine }
      await recordStreamEvents(session, [{ type: 'operator.signed_in', workspaceId: of.workspaceId, actor, after }])
      return { state: 'approved', session: secret, ...started }
    })

  return {
    /** Returns the codes: one for the machine, which is a secret, and one for people to type in the console. */
    async start({ machine, workspaceId }: DeviceRequest, { address, userAgent }: Origin): Promise<DeviceCodes> {
      const deviceCode = randomBytes(32).toString('base64url')
      const agent = userAgent.toWellFormed().slice(0, USER_AGENT_CHARACTERS_MAX)
      for (let draw = 0; draw < DRAWS_MAX; draw++) {
        const code = newUserCode()
        const values = [tokenHash(deviceCode), code, machine.toWellFormed(), agent, address, workspaceId ?? null]
        const [added] = await db.run(ADD_DEVICE_AUTHORIZATION, values)
        if (added === undefined) continue
        const userCode = `${code.slice(0, 4)}-${code.slice(4)}`
        const verificationUrl = `${publicUrl()}/console/device`
        const times = { expiresInSeconds: DEVICE_CODE_SECONDS, intervalSeconds: POLL_SECONDS }
        return { deviceCode, userCode, verificationUrl, ...times }
      }
      throw new Error('no free user code was found')
    },

    async poll(deviceCode: string, address: string): Promise<DevicePoll> {
      const [found] = await db.run(POLL_DEVICE_AUTHORIZATION, [tokenHash(deviceCode)])
      if (found === undefined) return { state: 'expired_token' }
      const { isTooSoon, isAnswered, pollSeconds: intervalSeconds, workspaceId } = found
      if (isTooSoon) return { state: 'slow_down', intervalSeconds }
      if (!isAnswered) return { state: 'authorization_pending', intervalSeconds }
      if (workspaceId !== null) return redeem(deviceCode, { workspaceId }, address)
      await db.run(DELETE_DEVICE_AUTHORIZATION, [tokenHash(deviceCode)])
      return { state: 'access_denied' }
    },

    /**
     * Returns the machine of a user code; undefined if the operator cannot answer it: unknown, expired, answered, or
     * for another workspace.
     */
    async find({ workspaceId }: OperatorSession, userCode: string): Promise<DeviceRow | undefined> {
      const [found] = await db.run(FIND_DEVICE_AUTHORIZATION, [storedCode(userCode), workspaceId])
      return found
    },

    /** Approves after a recent sign-in, because the session outlives the page. Returns whether there was a pending sign-in. */
    async approve({ workspaceId, operator, secret }: OperatorSession, userCode: string): Promise<boolean> {
      requireFresh({ operator })
      return changeWorkspace(db, { workspaceId }, async (session) => {
        const values = [storedCode(userCode), workspaceId, operator.id, tokenHash(secret)]
        return (await session.run(APPROVE_DEVICE_AUTHORIZATION, values)).length > 0
      })
    },

    async deny({ workspaceId }: OperatorSession, userCode: string): Promise<boolean> {
      return (await db.run(DENY_DEVICE_AUTHORIZATION, [storedCode(userCode), workspaceId])).length > 0
    },

    /** Returns who is signed in with the session of a command line; undefined if it has ended. */
    whoIsSignedIn: (secret: string): Promise<CommandLineSession | undefined> => read(db, secret),

    /** Ends the session of a command line on all servers. Returns undefined if there is none. */
    end: (secret: string): Promise<true | undefined> => endSession(db, secret),
  }
}
