/**
 * Limits of mails to an address: of mails that are sent at once on request of a caller (invitations and tests), and of
 * all mails through the installation's server. Each process counts its own.
 */

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { foldedAddress } from '#contract/core/addresses.ts'
import { StatusError } from '#platform/status-error.ts'

const HOUR_SECONDS = 3_600

/** Invitations in an hour: of a workspace, and to an address. */
const INVITATIONS_OF_WORKSPACE_MAX = 30
const INVITATIONS_TO_ADDRESS_MAX = 5

/** Test mails in an hour: of a workspace, and to an address. */
const TESTS_MAX = 10

/**
 * Counts a mail for each; returns null if it may be sent, otherwise how many milliseconds later it may. A mail that is
 * refused counts for none: no more mails are refused because of it.
 */
async function waitMs(...limits: (readonly [limiter: RateLimiterMemory, who: string])[]): Promise<number | null> {
  for (const [index, [limiter, who]] of limits.entries())
    try {
      await limiter.consume(who)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      await takeBack(...limits.slice(0, index + 1))
      return refusal.msBeforeNext
    }
  return null
}

async function takeBack(...limits: (readonly [limiter: RateLimiterMemory, who: string])[]): Promise<void> {
  await Promise.all(limits.map(([limiter, who]) => limiter.reward(who)))
}

export interface InvitationByMail {
  workspaceId: string
  recipient: string
  /**
   * Whether it invites the owner of a new workspace for the first time: strangers who invite the address must not keep
   * them out of their own.
   */
  isFirstOfOwner: boolean
}

/**
 * Returns a function that counts an invitation by mail, and returns another that takes this back. It throws
 * RESOURCE_EXHAUSTED above the limit of the workspace or the address. The first invitations of owners have a limit of
 * their own for each address.
 */
export function createInvitationLimit() {
  const workspaces = new RateLimiterMemory({ points: INVITATIONS_OF_WORKSPACE_MAX, duration: HOUR_SECONDS })
  const [invitees, owners] = [0, 1].map(
    () => new RateLimiterMemory({ points: INVITATIONS_TO_ADDRESS_MAX, duration: HOUR_SECONDS }),
  ) as [RateLimiterMemory, RateLimiterMemory]
  return async ({ workspaceId, recipient, isFirstOfOwner }: InvitationByMail): Promise<() => Promise<void>> => {
    const addresses = isFirstOfOwner ? owners : invitees
    const limits = [[workspaces, workspaceId] as const, [addresses, foldedAddress(recipient)] as const]
    const wait = await waitMs(...limits)
    if (wait !== null) throw tooMany(TOO_MANY_INVITATIONS, wait)
    return () => takeBack(...limits)
  }
}

/** Returns a function that counts a test mail of a workspace to an address. It throws RESOURCE_EXHAUSTED above the limit of either. */
export function createTestLimit() {
  const limiter = new RateLimiterMemory({ points: TESTS_MAX, duration: HOUR_SECONDS })
  return async (workspaceId: string, recipient: string): Promise<void> => {
    const wait = await waitMs([limiter, `workspace ${workspaceId}`], [limiter, `address ${foldedAddress(recipient)}`])
    if (wait !== null) throw tooMany(TOO_MANY_TESTS, wait)
  }
}

/** A mail that this process is sending, between two moments. `recipient` is empty until it may be sent. */
export interface Sending {
  readonly began: number
  ended: number
  recipient: string
}

/**
 * Limits the mails that an address gets in an hour; 0: no limit. The database counts sent mails. Mails in progress are
 * counted here, because many mails to one address may be due at the same time. A mail counts here until every mail that
 * began before its end has ended too, because those may have read the count of the database before it included this
 * mail. Some mails count twice for a moment, and then a mail waits a little longer.
 */
export function createRecipientLimit(mailsMax: number) {
  const all = new Set<Sending>()
  let moment = 0
  return {
    /** Runs before the mail is read. */
    begin(): Sending {
      const own = { began: ++moment, ended: Number.POSITIVE_INFINITY, recipient: '' }
      all.add(own)
      return own
    },

    /** Returns whether the address may get this mail too. `sent` is how many it has had, as it was read with the mail. */
    admit(own: Sending, recipient: string, sent: number): boolean {
      const address = foldedAddress(recipient)
      const others = all.values().filter((other) => other.recipient === address && other.ended > own.began)
      if (mailsMax > 0 && sent + [...others].length >= mailsMax) return false
      own.recipient = address
      return true
    },

    end(own: Sending): void {
      own.ended = ++moment
      const running = all.values().filter(({ ended }) => ended > moment)
      const oldest = Math.min(...running.map(({ began }) => began))
      for (const one of all) if (one.ended < oldest) all.delete(one)
    },
  }
}

const TOO_MANY_INVITATIONS = `Too many invitations: the limit is ${INVITATIONS_OF_WORKSPACE_MAX} in an hour for each workspace, and ${INVITATIONS_TO_ADDRESS_MAX} for each address.`
const TOO_MANY_TESTS = `Too many test mails: the limit is ${TESTS_MAX} in an hour, for each workspace and each address.`

const tooMany = (message: string, wait: number) =>
  new StatusError('RESOURCE_EXHAUSTED', 'rate_limited', message, {
    // The clock of this machine, by which the wait is computed, may have been set back.
    retryAfterSeconds: Math.min(Math.max(1, Math.ceil(wait / 1000)), HOUR_SECONDS),
  })
