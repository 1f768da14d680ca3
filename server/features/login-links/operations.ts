/**
 * Links with which the operators of a workspace sign in to the console (rules/operators.md#links, ADR 0041): sent by mail on
 * request, or created for an invitation. A link is a secret of 256 bits, stored as a hash; it works once, for one operator.
 */

import { randomBytes } from 'node:crypto'
import { foldedAddress } from '#contract/core/addresses.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { createLoginLink } from '#contract/workspace/owner-email.ts'
import {
  createInstallationMail,
  createInvitationLimit,
  loginLinksContent,
  type SentLink,
} from '#features/mail/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { backgroundWork } from './background.ts'
import { startInvitationMails } from './invitation-mails.ts'
import {
  ADD_INVITATION_LINK,
  ADD_LOGIN_LINK,
  DELETE_UNUSED_LINKS,
  FIND_LOGIN_LINK,
  type KnownOperatorRow,
  LIST_OPERATORS_OF_ADDRESS,
  type LinkRow,
  USE_LOGIN_LINK,
} from './statements.ts'

/** An operator to invite. */
interface Invitee {
  id: string
  email: string
  isFirstOfOwner: boolean
}

/** Adds the link of an invitation, in a transaction that has locked the workspace. */
export type AddInvitation = (session: Session, operator: Invitee) => Promise<{ link?: string; isMailed: boolean }>

type InstallationMail = NonNullable<ReturnType<typeof createInstallationMail>>

export function createLoginLinks(kernel: Kernel) {
  const { config, db, log, publicUrl, use } = kernel
  const sendMail = use(createInstallationMail)
  const countInvitation = createInvitationLimit()
  const background = backgroundWork(log)

  /** The secret is behind the `#`, which browsers send to no server. */
  const urlOf = (secret: string): string => `${publicUrl()}/console/#link=${secret}`

  const invitationMails = startInvitationMails(kernel, urlOf)

  /** Sends the links of an address. They go to the address that is stored with an operator, never to the one that was typed. */
  async function sendLinks(email: string): Promise<void> {
    if (sendMail === undefined) return log.warn('a login link was requested, but there is no mail server (SMTP_URL)')
    const operators = await db.run(LIST_OPERATORS_OF_ADDRESS, [foldedAddress(email)])
    // Strangers can make another spelling of the address an operator of theirs: a mail that is refused there must not keep back this one.
    for (const [address, ofAddress] of Map.groupBy(operators, (operator) => operator.email))
      await sendTo(address, ofAddress, sendMail).catch((err: unknown) =>
        log.warn({ err }, 'the login links of an address could not be sent'),
      )
  }

  async function sendTo(address: string, ofAddress: readonly KnownOperatorRow[], send: InstallationMail) {
    const links: SentLink[] = []
    for (const { workspaceId, createdAt, operatorId } of ofAddress) {
      const secret = await add({ workspaceId, operatorId })
      if (secret === undefined) log.info({ workspaceId }, 'no login link was sent: too many in the last hour')
      else links.push({ workspaceId, createdAt, url: urlOf(secret) })
    }
    if (links.length > 0) await send(address, () => loginLinksContent(links))
  }

  function add({ workspaceId, operatorId }: Pick<KnownOperatorRow, 'workspaceId' | 'operatorId'>) {
    const secret = randomBytes(32).toString('base64url')
    return changeWorkspace(db, { workspaceId }, async (session): Promise<string | undefined> => {
      const [added] = await session.runSet(ADD_LOGIN_LINK, [{ workspaceId, operatorId, linkHash: tokenHash(secret) }])
      return added && secret
    })
  }

  async function find(secret: string): Promise<LinkRow | undefined> {
    const [found] = await db.run(FIND_LOGIN_LINK, [tokenHash(secret)])
    return found
  }

  return {
    /** Whether the console can offer links. */
    isOffered: config.LOGIN_LINKS && sendMail !== undefined,

    /** Accepts a request for links. Returns before anything is looked up: the response must not take longer for an operator's address. */
    request({ email, continueUrl = '' }: DataOf<typeof createLoginLink>): void {
      requireOwnHost(continueUrl, publicUrl())
      if (!config.LOGIN_LINKS) log.warn('a login link was requested, but LOGIN_LINKS is false')
      else if (background.isFull) log.warn('a request for a login link was dropped: too many wait')
      else background.add(() => sendLinks(email))
    },

    /**
     * Runs a transaction that invites an operator with the function it gets, which replaces the unused links of the
     * operator. With a mail server the transaction also writes the mail, and the inviter does not get the link, because
     * everybody who opens it signs in as the operator. Throws RESOURCE_EXHAUSTED if the workspace or the address has
     * had too many. The transaction may be retried; an invitation counts once, and only if it commits.
     */
    async invite<T>(workspaceId: WorkspaceId, transaction: (add: AddInvitation) => Promise<T>): Promise<T> {
      const isMailed = invitationMails !== undefined
      const secret = randomBytes(32).toString('base64url')
      let takeBack: (() => Promise<void>) | undefined
      const add: AddInvitation = async (session, { id: operatorId, email: recipient, isFirstOfOwner }) => {
        if (isMailed) takeBack ??= await countInvitation({ workspaceId, recipient, isFirstOfOwner })
        await session.run(DELETE_UNUSED_LINKS, [workspaceId, operatorId])
        await session.runSet(ADD_INVITATION_LINK, [{ workspaceId, operatorId, linkHash: tokenHash(secret), isMailed }])
        await invitationMails?.add(session, workspaceId, operatorId, secret)
        return isMailed ? { isMailed } : { link: urlOf(secret), isMailed }
      }
      try {
        return await transaction(add)
      } catch (error) {
        await takeBack?.()
        throw error
      }
    },

    /** Returns whose link it is, if it can still be used. */
    find,

    /** Uses a link up, in a transaction that has locked the workspace. Returns whether it was valid: to one caller only. */
    use: async (session: Session, secret: string): Promise<boolean> =>
      (await session.run(USE_LOGIN_LINK, [tokenHash(secret)])).length > 0,

    workers: invitationMails === undefined ? [] : [invitationMails.worker],

    async stop(): Promise<void> {
      await Promise.all([background.stop(), invitationMails?.worker.stop()])
    },
  }
}

function requireOwnHost(url: string, ownUrl: string): void {
  if (url === '') return
  const host = URL.parse(url)?.hostname
  if (host !== undefined && [URL.parse(ownUrl)?.hostname, 'localhost'].includes(host)) return
  const message = 'continueUrl must be a URL of this server'
  throw invalidArgument([{ field: 'continueUrl', message }])
}
