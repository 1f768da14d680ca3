/**
 * The reasons why a sign-in with a provider failed. A page shows the reason, the next step and a reference, never the provider's
 * text.
 */
import type { SsoProblem } from '#contract/workspace/sso-config.ts'

/** The explanation, the next step for the person, and the HTTP status of the page. */
const FAILURES = {
  not_offered: [
    404,
    'Sign-in with your company is not set up for this workspace.',
    'Ask a colleague for the link of your company, or sign in another way.',
  ],
  domain_unknown: [
    404,
    'No workspace of this server has set up sign-in with a company for addresses at this domain.',
    'Check the address, ask a colleague for the link of your company, or sign in another way.',
  ],
  test_expired: [404, 'This test of a connection has expired, or was already used.', 'Press "Test connection" again.'],
  other_site: [
    403,
    'Another website tried to sign you in.',
    'If you want to sign in, start on the sign-in page of the console.',
  ],
  stale: [
    400,
    'This sign-in has expired, was already used, or was started in another browser.',
    'Start again on the sign-in page.',
  ],
  not_reached: [
    502,
    'The sign-in provider of your company did not respond.',
    'Try again in a minute, or sign in another way. If it fails again, tell an owner of the workspace: "Test connection" under Single sign-on says whether a setting is wrong.',
  ],
  misconfigured: [
    502,
    'The sign-in provider of your company does not accept this server: single sign-on of the workspace is not set up right.',
    'Tell an owner of the workspace, with the reference below. "Test connection" under Single sign-on says which setting to change.',
  ],
  declined: [
    403,
    'The sign-in provider of your company did not sign you in.',
    'Start again. If it fails again, ask the people who manage the provider.',
  ],
  invalid: [
    502,
    'The response of the sign-in provider did not pass the security checks.',
    'Start again. If it fails again, tell an owner of the workspace. "Test connection" under Single sign-on says what is wrong.',
  ],
  email_unverified: [
    403,
    'The sign-in provider does not confirm your e-mail address.',
    'Ask the people who manage the provider to verify it, then start again.',
  ],
  not_admitted: [
    403,
    'Your company account has no access to this workspace.',
    'Ask an owner of the workspace to invite you, or to give a role to one of your groups.',
  ],
  other_account: [
    403,
    'Your e-mail address belongs to an operator with another company account.',
    'Ask an admin of the workspace to remove that operator, then start again.',
  ],
  is_owner: [
    403,
    'You are an owner of this workspace, and its sign-in rules do not make your company account an owner.',
    'Sign in another way. To use your company account, add a rule that gives it the role "owner".',
  ],
  too_many: [
    403,
    'The workspace has the maximum number of operators.',
    'Ask an admin of the workspace to remove one who is no longer needed.',
  ],
} as const satisfies Record<string, readonly [status: number, what: string, next: string]>

export type SignInFailure = keyof typeof FAILURES

export class SignInFailed extends Error {
  readonly failure: SignInFailure
  /** The text for an owner who tests the connection. */
  readonly problem: SsoProblem | undefined

  /** `detail` is for the log: a code, never a token or a claim. */
  constructor(failure: SignInFailure, { detail = '', problem }: { detail?: string; problem?: SsoProblem } = {}) {
    super(detail === '' ? failure : `${failure}: ${detail}`)
    this.failure = failure
    this.problem = problem
  }
}

/** Returns the words of the page about a failure, and its HTTP status. */
export function textsOf(failure: SignInFailure): { status: number; what: string; next: string } {
  const [status, what, next] = FAILURES[failure]
  return { status, what, next }
}
