/** Limits of mails that are sent at once, to an address that the caller chooses: invitations and tests. Each process counts its own. */

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { foldedAddress } from '#contract/core/addresses.ts'
import { StatusError } from '#platform/status-error.ts'

const HOUR_SECONDS = 3_600

/** Invitations in an hour: of a workspace, and to an address. */
const INVITATIONS_OF_WORKSPACE_MAX = 30
const INVITATIONS_TO_ADDRESS_MAX = 5

/** Test mails in an hour: of a workspace, and to an address. */
const TESTS_MAX = 10

/** Counts a mail; returns null if it may be sent, otherwise how many milliseconds later it may. */
const waitMs = (limiter: RateLimiterMemory, who: string): Promise<number | null> =>
  limiter.consume(who).then(
    () => null,
    (refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext
      throw refusal
    },
  )

/** Returns a function that counts an invitation, and returns whether it may be mailed. */
export function createInvitationLimit() {
  const workspaces = new RateLimiterMemory({ points: INVITATIONS_OF_WORKSPACE_MAX, duration: HOUR_SECONDS })
  const addresses = new RateLimiterMemory({ points: INVITATIONS_TO_ADDRESS_MAX, duration: HOUR_SECONDS })
  return async (workspaceId: string, recipient: string): Promise<boolean> =>
    (await waitMs(workspaces, workspaceId)) === null && (await waitMs(addresses, foldedAddress(recipient))) === null
}

/** Returns a function that counts a test mail of a workspace to an address. It throws RESOURCE_EXHAUSTED above the limit of either. */
export function createTestLimit() {
  const limiter = new RateLimiterMemory({ points: TESTS_MAX, duration: HOUR_SECONDS })
  return async (workspaceId: string, recipient: string): Promise<void> => {
    for (const who of [`workspace ${workspaceId}`, `address ${foldedAddress(recipient)}`]) {
      const wait = await waitMs(limiter, who)
      if (wait !== null) throw tooManyTests(wait)
    }
  }
}

const tooManyTests = (wait: number) =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'rate_limited',
    `Too many test mails: the limit is ${TESTS_MAX} in an hour, for each workspace and each address.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)) },
  )
