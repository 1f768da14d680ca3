/**
 * The reasons why a sign-in with a provider failed. A page of the console shows the reason, never the provider's
 * text.
 */

/** The explanation, the next step for the person, and the HTTP status of the page. */
const FAILURES = {
  not_offered: [
    404,
    'Sign-in with your company is not set up for this workspace.',
    'Check the workspace id, or sign in another way.',
  ],
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
    'Try again in a minute, or sign in another way.',
  ],
  declined: [
    403,
    'The sign-in provider of your company did not sign you in.',
    'Start again. If it fails again, ask the people who manage the provider.',
  ],
  invalid: [
    502,
    'The response of the sign-in provider did not pass the security checks.',
    'Start again. If it fails again, tell an owner of the workspace; the log of the server has the reason.',
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
    'You are an owner of this workspace, and its sign-in rules give you another role.',
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

  /** `detail` is for the log: a code, never a token or a claim. */
  constructor(failure: SignInFailure, detail = '') {
    super(detail === '' ? failure : `${failure}: ${detail}`)
    this.failure = failure
  }
}

/** Returns the page about a failure, and its HTTP status. */
export function failurePage(failure: SignInFailure): { status: number; html: string } {
  const [status, what, next] = FAILURES[failure]
  return {
    status,
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>You are not signed in</title>
<h1>You are not signed in</h1>
<p>${what}</p>
<p>${next}</p>
<p><a href="/console/">Sign-in page</a></p>
</html>
`,
  }
}
