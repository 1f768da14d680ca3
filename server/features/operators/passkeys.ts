/**
 * Passkeys of operators (WebAuthn): registering them, and checking what authenticators sign. The origin and the relying party come
 * from `PUBLIC_URL`, never from a request. Authenticators must verify the user (rules/operators.md#passkeys).
 */
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { deleteOld } from '#platform/jobs/old-rows.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import {
  ADD_CHALLENGE,
  ADD_PASSKEY,
  DELETE_EXPIRED_CHALLENGES,
  DELETE_PASSKEY,
  FIND_PASSKEY,
  LIST_PASSKEYS,
  type ListedPasskeyRow,
  type PasskeyRow,
  USE_CHALLENGE,
  USE_PASSKEY,
} from './passkey-statements.ts'

/** The operator who registers a passkey, or confirms a session with one. */
export interface PasskeyOwner {
  workspaceId: WorkspaceId
  operatorId: string
}

type Purpose = 'register' | 'confirm' | 'sign-in'

/** A passkey whose signature is right. It still has to be used with `use`. */
export interface CheckedPasskey extends Pick<PasskeyRow, 'workspaceId' | 'operatorId' | 'operatorName'> {
  credentialId: Buffer
  signCount: number
}

/** Large, and seldom needed: it is loaded with the first use. */
const library = () => import('@simplewebauthn/server')

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64url')

export function createPasskeys({ db, log, publicUrl }: Pick<Kernel, 'db' | 'log' | 'publicUrl'>) {
  const origin = (): string => new URL(publicUrl()).origin
  const rpID = (): string => new URL(publicUrl()).hostname

  async function keep(challenge: string, purpose: Purpose, owner?: PasskeyOwner): Promise<void> {
    const { workspaceId = null, operatorId = null } = owner ?? {}
    await db.run(ADD_CHALLENGE, [tokenHash(challenge), purpose, workspaceId, operatorId])
  }

  /** Consumes the challenge of a response. The challenge is deleted even if the response is wrong. */
  async function consumeChallenge(clientDataJSON: string, purpose: Purpose, owner?: PasskeyOwner): Promise<string> {
    const challenge = challengeIn(clientDataJSON)
    const [found] = await db.run(USE_CHALLENGE, [tokenHash(challenge), purpose, owner?.operatorId ?? null])
    if (found?.isValid !== true) throw credentialsInvalid()
    return challenge
  }

  /** Returns the result of `verify`. Refuses every wrong response with the same error. */
  async function verified<Result>(verify: () => Promise<Result>): Promise<Result> {
    try {
      return await verify()
    } catch (err) {
      log.info({ err }, 'a passkey was refused')
      throw credentialsInvalid(err)
    }
  }

  async function list({ workspaceId, operatorId }: PasskeyOwner): Promise<ListedPasskeyRow[]> {
    return db.run(LIST_PASSKEYS, [workspaceId, operatorId])
  }

  /** Returns the options for an authenticator that confirms who an operator is, or without one signs in somebody. */
  async function requestOptions(purpose: 'confirm' | 'sign-in', owner?: PasskeyOwner) {
    const { generateAuthenticationOptions } = await library()
    const allowCredentials = owner === undefined ? [] : (await list(owner)).map(descriptorOf)
    const options = await generateAuthenticationOptions({
      rpID: rpID(),
      userVerification: 'required',
      allowCredentials,
    })
    await keep(options.challenge, purpose, owner)
    return options
  }

  return {
    /** Browsers accept no address in place of a name. */
    isOffered: (): boolean => isIP(rpID().replace(/^\[|\]$/g, '')) === 0,

    list,

    async registrationOptions(owner: PasskeyOwner, { email, name }: { email: string; name: string }) {
      const { generateRegistrationOptions } = await library()
      const options = await generateRegistrationOptions({
        rpName: 'Commonhold',
        rpID: rpID(),
        userID: new Uint8Array(Buffer.from(owner.operatorId)),
        userName: email,
        userDisplayName: name,
        attestationType: 'none',
        excludeCredentials: (await list(owner)).map(descriptorOf),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      await keep(options.challenge, 'register', owner)
      return options
    },

    /**
     * Checks the signature of a new authenticator. Returns a function that stores it and returns its id, or undefined
     * if it is already stored.
     */
    async register(owner: PasskeyOwner, name: string, response: RegistrationResponseJSON) {
      const expectedChallenge = await consumeChallenge(response.response.clientDataJSON, 'register', owner)
      const { verifyRegistrationResponse } = await library()
      const expected = { expectedChallenge, expectedOrigin: origin(), expectedRPID: rpID() }
      const { registrationInfo } = await verified(() =>
        verifyRegistrationResponse({ response, ...expected, requireUserVerification: true }),
      )
      if (registrationInfo === undefined) throw credentialsInvalid()
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential
      return async (session: Session): Promise<string | undefined> => {
        const { workspaceId, operatorId } = owner
        const values = [bytesOf(id), workspaceId, operatorId, name, Buffer.from(publicKey), counter, transports]
        return (await session.run(ADD_PASSKEY, values))[0]?.id
      }
    },

    requestOptions,

    /** Checks the signature of a registered authenticator. With `owner`, only their own authenticators count. */
    async check(response: AuthenticationResponseJSON, purpose: 'confirm' | 'sign-in', owner?: PasskeyOwner) {
      const expectedChallenge = await consumeChallenge(response.response.clientDataJSON, purpose, owner)
      const credentialId = bytesOf(response.id)
      const [found] = await db.run(FIND_PASSKEY, [credentialId])
      if (found === undefined || (owner !== undefined && found.operatorId !== owner.operatorId))
        throw credentialsInvalid()
      const { publicKey, signCount, transports, ...who } = found
      const { verifyAuthenticationResponse } = await library()
      const { verified: isRight, authenticationInfo } = await verified(() =>
        verifyAuthenticationResponse({
          response,
          ...{ expectedChallenge, expectedOrigin: origin(), expectedRPID: rpID(), requireUserVerification: true },
          credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: signCount, transports },
        }),
      )
      if (!isRight) throw credentialsInvalid()
      return { ...who, credentialId, signCount: authenticationInfo.newCounter } satisfies CheckedPasskey
    },

    /**
     * Records the use of a checked passkey. Refuses it if another use with this count was first, because then the key
     * was copied.
     */
    async use(session: Session, { credentialId, signCount }: CheckedPasskey): Promise<void> {
      const [used] = await session.run(USE_PASSKEY, [credentialId, signCount])
      if (used === undefined) throw credentialsInvalid()
    },

    /** Deletes a passkey of an operator; returns it, or undefined if there is none. */
    delete: async (session: Session, { workspaceId, operatorId }: PasskeyOwner, passkeyId: string) =>
      (await session.run(DELETE_PASSKEY, [workspaceId, operatorId, passkeyId]))[0],

    deleteExpired: (stopping: AbortSignal): Promise<void> => deleteOld(db, DELETE_EXPIRED_CHALLENGES, stopping),
  }
}

const descriptorOf = ({ credentialId, transports }: ListedPasskeyRow) => ({
  id: credentialId.toString('base64url'),
  transports: transports as never[],
})

/** Returns the challenge that the client says it signed; '' if it says none. */
function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(bytesOf(clientDataJSON).toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}
