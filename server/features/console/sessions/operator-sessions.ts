/**
 * Starts the sessions of operators, with a link, a passkey or their provider, and confirms who they are
 * (rules/operators.md#sessions).
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { WorkspaceId } from '#contract/core/ids.ts'
import { createLoginLinks } from '#features/login-links/shared.ts'
import {
  COMPANY_SESSION_HOURS,
  createOperators,
  createPasskeys,
  limitCompanySessions,
} from '#features/operators/shared.ts'
import { requireNoProvider } from '#features/single-sign-on/shared.ts'
import { createWorkspaceTokens } from '#features/workspace-tokens/shared.ts'
import type { SignedInOperator } from '#http/credentials/operator-access.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { isWellFormedToken, tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeAccess, changeWorkspace } from '#tenancy/writes/workspace.ts'
import { insertSession, type Origin, type StartedSession } from './sessions.ts'
import { CONFIRM_ADDRESS, CONFIRM_SESSION, HOLD_SESSION } from './statements.ts'

/** How an operator proved who they are. */
type Method = 'link' | 'passkey' | 'token' | 'oidc'

/** A week: nobody else has the link or the passkey, and the session ends when it is not used. */
const HOURS = 7 * 24

export interface OperatorSession {
  secret: string
  workspaceId: WorkspaceId
  operator: SignedInOperator
}

export type OperatorSessions = ReturnType<typeof createOperatorSessions>

interface Person {
  workspaceId: WorkspaceId
  operatorId: string
  name: string
}

/** The address that the person entered with is theirs: they read its mail, or their provider has verified it. */
interface Proof {
  method: Method
  provesAddress: boolean
}

export function createOperatorSessions({ db, use }: Kernel) {
  const operators = use(createOperators)
  const links = use(createLoginLinks)
  const passkeys = use(createPasskeys)
  const tokens = use(createWorkspaceTokens)

  async function record(session: Session, { workspaceId, operatorId, name }: Person, address: string, after: object) {
    const actor = { operator: { id: operatorId, name }, address }
    await recordStreamEvents(session, [
      { type: 'operator.signed_in', workspaceId, actor, after: { operatorId, ...after } },
    ])
  }

  async function begin(
    session: Session,
    person: Person,
    { method, provesAddress }: Proof,
    origin: Origin,
  ): Promise<StartedSession> {
    const { workspaceId, operatorId } = person
    const [confirmed] = provesAddress ? await session.run(CONFIRM_ADDRESS, [workspaceId, operatorId]) : []
    if (method === 'oidc') await limitCompanySessions(session, workspaceId)
    const hours = method === 'oidc' ? COMPANY_SESSION_HOURS : HOURS
    const started = await insertSession(session, { workspaceId, operatorId }, origin, hours)
    await operators.recordSeen(session, workspaceId, operatorId)
    await record(session, person, origin.address, {
      method,
      ...(confirmed && { addressConfirmed: true, ...confirmed }),
    })
    return started
  }

  /**
   * Starts a session in a transaction that locks the workspace, so that the operator is not removed meanwhile. `prove` refuses
   * a link or challenge that was already used. A link stays usable if its operator must sign in with a provider.
   */
  const start = (person: Person, proof: Proof, origin: Origin, prove: (session: Session) => Promise<void>) =>
    changeWorkspace(db, person, async (session): Promise<StartedSession> => {
      await prove(session)
      await requireNoProvider(session, person)
      return begin(session, person, proof, origin)
    })

  /**
   * Lets a session count as confirmed for the next minutes. The transaction has locked the workspace, so that no sign-in ends
   * the session meanwhile.
   */
  async function confirm(
    session: Session,
    { secret, workspaceId, operator: { id: operatorId, name } }: OperatorSession,
    method: Method,
    address: string,
  ): Promise<void> {
    if ((await session.run(CONFIRM_SESSION, [tokenHash(secret)])).length === 0) throw credentialsInvalid()
    await record(session, { workspaceId, operatorId, name }, address, { method, confirmed: true })
  }

  const ownerOf = ({ workspaceId, operator }: OperatorSession) => ({ workspaceId, operatorId: operator.id })

  return {
    /** Starts a session in a transaction that has created the workspace, or locked it and admitted the operator. */
    startIn: (session: Session, person: Person, method: 'link' | 'oidc', origin: Origin): Promise<StartedSession> =>
      begin(session, person, { method, provesAddress: method === 'oidc' }, origin),

    /** Uses up the link. Of two calls with one link, one is refused. */
    async startWithLink(link: string, origin: Origin): Promise<StartedSession> {
      const found = await links.find(link)
      if (found === undefined) throw credentialsInvalid()
      return start(found, { method: 'link', provesAddress: found.isMailed }, origin, async (session) => {
        if (!(await links.use(session, link))) throw credentialsInvalid()
      })
    },

    async startWithPasskey(response: AuthenticationResponseJSON, origin: Origin): Promise<StartedSession> {
      const checked = await passkeys.check(response, 'sign-in')
      const person = { ...checked, name: checked.operatorName }
      return start(person, { method: 'passkey', provesAddress: false }, origin, (session) =>
        passkeys.use(session, checked),
      )
    },

    async confirmWithPasskey(
      of: OperatorSession,
      response: AuthenticationResponseJSON,
      address: string,
    ): Promise<void> {
      const checked = await passkeys.check(response, 'confirm', ownerOf(of))
      await changeWorkspace(db, of, async (session) => {
        await passkeys.use(session, checked)
        await confirm(session, of, 'passkey', address)
      })
    },

    /** Confirms with a token of the workspace that may manage its access: one that is being replaced may not. */
    async confirmWithToken(of: OperatorSession, token: string, address: string): Promise<void> {
      const { workspaceId } = of
      const found = isWellFormedToken(token) ? await tokens.lookUp(workspaceId, tokenHash(token)) : undefined
      if (found === undefined) throw credentialsInvalid()
      const holder = { workspaceId, tokenId: found.tokenId, actor: { address } }
      await changeAccess(db, holder, 'owner', (session) => confirm(session, of, 'token', address))
    },

    /**
     * Adds a passkey. Only after a recent sign-in, and not when the session has ended meanwhile: it would outlive a stolen session.
     * Locks the workspace, as a sign-in does that proves the address: otherwise that would not remove a passkey of the inviter.
     */
    async addPasskey(of: OperatorSession, name: string, response: RegistrationResponseJSON, address: string) {
      requireFresh(of)
      const store = await passkeys.register(ownerOf(of), name, response)
      await changeWorkspace(db, of, async (session) => {
        if ((await session.run(HOLD_SESSION, [tokenHash(of.secret)])).length === 0) throw credentialsInvalid()
        const passkeyId = await store(session)
        if (passkeyId === undefined) throw credentialsInvalid()
        await recordPasskey(session, of, address, { type: 'operator.passkey_added', after: { passkeyId, name } })
      })
    },

    async removePasskey(of: OperatorSession, passkeyId: string, address: string): Promise<void> {
      requireFresh(of)
      await db.transaction(async (session) => {
        const removed = await passkeys.delete(session, ownerOf(of), passkeyId)
        if (removed === undefined) return
        const before = { passkeyId: removed.id, name: removed.name }
        await recordPasskey(session, of, address, { type: 'operator.passkey_removed', before })
      })
    },

    registrationOptions(of: OperatorSession) {
      requireFresh(of)
      return passkeys.registrationOptions(ownerOf(of), of.operator)
    },

    async listPasskeys(of: OperatorSession) {
      const rows = await passkeys.list(ownerOf(of))
      return {
        isOffered: passkeys.isOffered(),
        passkeys: rows.map(({ id, name, createdAt, lastUsedAt }) => ({
          ...{ id, name, createdAt: createdAt.getTime() },
          ...(lastUsedAt === null ? {} : { lastUsedAt: lastUsedAt.getTime() }),
        })),
      }
    },

    signInOptions: () => passkeys.requestOptions('sign-in'),
    confirmOptions: (of: OperatorSession) => passkeys.requestOptions('confirm', ownerOf(of)),
  }
}

type PasskeyEvent =
  | { type: 'operator.passkey_added'; after: object }
  | { type: 'operator.passkey_removed'; before: object }

const recordPasskey = (
  session: Session,
  { workspaceId, operator: { id, name } }: OperatorSession,
  address: string,
  event: PasskeyEvent,
) => recordStreamEvents(session, [{ ...event, workspaceId, actor: { operator: { id, name }, address } }])

/** Refuses an operator whose sign-in is not recent. */
export function requireFresh({ operator }: Pick<OperatorSession, 'operator'>): void {
  if (!operator.isFresh)
    throw new StatusError(
      'PERMISSION_DENIED',
      'sign_in_again',
      'Sign in again to confirm that it is you; then repeat the call.',
    )
}
