/** The limit of mails with invitations, counted by each process: they go out at once, to an address that an operator chooses. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

const HOUR_SECONDS = 3_600

/** In an hour: of a workspace, and to an address. */
const OF_WORKSPACE_MAX = 30
const TO_ADDRESS_MAX = 5

/** Returns a function that counts an invitation, and returns whether it may be mailed. */
export function createInvitationLimit() {
  const workspaces = new RateLimiterMemory({ points: OF_WORKSPACE_MAX, duration: HOUR_SECONDS })
  const addresses = new RateLimiterMemory({ points: TO_ADDRESS_MAX, duration: HOUR_SECONDS })
  const allows = (limiter: RateLimiterMemory, who: string): Promise<boolean> =>
    limiter.consume(who).then(
      () => true,
      (refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return false
        throw refusal
      },
    )
  return async (workspaceId: string, recipient: string): Promise<boolean> =>
    (await allows(workspaces, workspaceId)) && allows(addresses, recipient.toLowerCase())
}
