/**
 * Links with which the owner of a workspace signs in to the console (rules/keys.md#login-links, ADR 0041). A link is a secret of
 * 256 bits, stored as a hash; it works once, for a short time, for its workspace.
 */
import { randomBytes } from 'node:crypto'
import type { WorkspaceId } from '#contract/ids.ts'
import type { DataOf } from '#contract/operation.ts'
import type { createLoginLink } from '#contract/owner-email.ts'
import { createInstallationMail, loginLinksContent, type SentLink } from '#features/mail/shared.ts'
import { createWorkspaceTokens } from '#features/workspace-tokens/shared.ts'
import { ownerIdOf } from '#features/workspaces/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { detached } from '#platform/lifetime.ts'
import { credentialsInvalid, invalidArgument } from '#platform/status-error.ts'
import { tokenHash } from '#platform/tokens.ts'
import { changeWorkspace } from '#tenancy/writes/workspace.ts'
import { ADD_LOGIN_LINK, FIND_LOGIN_LINK, LIST_OWNED_WORKSPACES, USE_LOGIN_LINK } from './statements.ts'

/** How many requests are worked off at a time in the background; more than these and those that wait are dropped. */
const REQUESTS_AT_ONCE_MAX = 4
const REQUESTS_WAITING_MAX = 100

/** The name of the token that a link is exchanged for, in events and in the list of tokens. */
const TOKEN_NAME = 'link sent by e-mail'

/** The token that a link was exchanged for. */
export interface TokenOfLink {
  workspaceId: WorkspaceId
  token: string
}

export type LoginLinks = ReturnType<typeof createLoginLinks>

export function createLoginLinks({ config, db, log, publicUrl, use }: Kernel) {
  const workspaceTokens = use(createWorkspaceTokens)
  const sendMail = use(createInstallationMail)
  const waiting: string[] = []
  const running = new Set<Promise<void>>()

  /** Sends the links of an address. Each workspace has its links sent to the address that is stored for it, never to the one that was typed. */
  async function sendLinks(email: string): Promise<void> {
    if (sendMail === undefined) return log.warn('a login link was requested, but there is no mail server (SMTP_URL)')
    const workspaces = await db.run(LIST_OWNED_WORKSPACES, [ownerIdOf(email)])
    for (const [address, owned] of Map.groupBy(workspaces, ({ ownerEmail }) => ownerEmail)) {
      const links: SentLink[] = []
      for (const { workspaceId, createdAt } of owned) {
        const link = await add(workspaceId)
        if (link === undefined) log.info({ workspaceId }, 'no login link was sent: too many in the last hour')
        else links.push({ workspaceId, createdAt, url: `${publicUrl()}/console/#link=${link}` })
      }
      if (links.length > 0) await sendMail(address, loginLinksContent(links))
    }
  }

  function add(workspaceId: WorkspaceId): Promise<string | undefined> {
    const link = randomBytes(32).toString('base64url')
    return changeWorkspace(db, { workspaceId }, async (session) => {
      const [added] = await session.runSet(ADD_LOGIN_LINK, [{ workspaceId, linkHash: tokenHash(link) }])
      return added && link
    })
  }

  /** Works off the requests that wait, in the background: the response must not take longer for an address with a workspace. */
  function workOff(): void {
    while (running.size < REQUESTS_AT_ONCE_MAX) {
      const email = waiting.shift()
      if (email === undefined) return
      const run = sendLinks(email)
        .catch((err: unknown) => log.warn({ err }, 'a login link could not be sent'))
        .finally(() => {
          running.delete(run)
          workOff()
        })
      running.add(run)
    }
  }

  return {
    /** Whether the console can offer links. */
    isOffered: config.LOGIN_LINKS && sendMail !== undefined,

    /** Accepts a request for links. Returns before anything is looked up. */
    request({ email, continueUrl = '' }: DataOf<typeof createLoginLink>): void {
      requireOwnHost(continueUrl, publicUrl())
      if (!config.LOGIN_LINKS) log.warn('a login link was requested, but LOGIN_LINKS is false')
      else if (waiting.length >= REQUESTS_WAITING_MAX) log.warn('a request for a login link was dropped: too many wait')
      else {
        waiting.push(email)
        detached(workOff) // the request ends before
      }
    },

    /**
     * Uses a link up: creates a token of its workspace that is valid for `hours`, and runs `start` with it in the same
     * transaction. Throws UNAUTHENTICATED, always the same, if the link is unknown, used or expired.
     */
    async exchange<T>(
      link: string,
      { hours, address }: { hours: number; address: string },
      start: (session: Session, token: TokenOfLink) => Promise<T>,
    ): Promise<T> {
      const [found] = await db.run(FIND_LOGIN_LINK, [tokenHash(link)])
      if (found === undefined) throw credentialsInvalid()
      const { workspaceId } = found
      return changeWorkspace(db, { workspaceId }, async (session) => {
        const [used] = await session.run(USE_LOGIN_LINK, [tokenHash(link), hours])
        if (used === undefined) throw credentialsInvalid()
        const expiresAt = Math.ceil(used.sessionUntil.getTime() / 1000)
        const actor = { token: TOKEN_NAME, address }
        const { token } = await workspaceTokens.add(session, { workspaceId, actor }, { name: TOKEN_NAME, expiresAt })
        return start(session, { workspaceId, token })
      })
    },

    /** Drops the requests that wait, and resolves when those under way are done: whoever asked can ask again. */
    async stop(): Promise<void> {
      waiting.length = 0
      await Promise.all(running)
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
