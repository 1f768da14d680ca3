/** The pages of single sign-on: why a sign-in failed, and the result of a test of a connection. */
import type { SsoProblem } from '#contract/workspace/sso-config.ts'
import { type Html, html } from '#platform/html.ts'
import { type Page, reference } from '#platform/page.ts'
import { GROUPS_SHOWN, type TestReport } from './connection-test.ts'
import { type SignInFailure, textsOf } from './failure.ts'

/** Returns the page about a failure, and its HTTP status. */
export function failurePage(failure: SignInFailure, requestId: string): { status: number; page: Page } {
  const { status, what, next } = textsOf(failure)
  const body = html`<p>${what}</p><p>${next}</p><p><a class="button" href="/console/">Back to sign-in</a></p>${reference(requestId)}`
  return { status, page: { title: 'You are not signed in', body } }
}

const SETTINGS: Record<SsoProblem['setting'], string> = {
  issuer: 'Issuer URL',
  clientId: 'Client id',
  clientSecret: 'Client secret',
  redirectUri: 'Redirect URI',
  roles: 'Rules for roles',
  domains: 'Domains',
  provider: 'at the provider',
  server: 'of this server',
}

/** Returns the page about a test, and its HTTP status: an error if a sign-in would fail. */
export function reportPage(report: TestReport, requestId: string): { status: number; page: Page } {
  const { problem, account } = report
  const title =
    problem === undefined
      ? 'The connection works'
      : account === undefined
        ? 'The connection does not work'
        : 'The connection works, but this account would be refused'
  const found = problem === undefined ? outcomeOf(report) : problemOf(problem)
  const body = html`${found}${accountOf(report)}<p>This was a test: nobody was signed in, and nothing was changed. Close this page to return to the settings.</p>${problem === undefined ? html`` : reference(requestId)}`
  return { status: problem === undefined ? 200 : 422, page: { title, body } }
}

const problemOf = ({ setting, message, next }: SsoProblem): Html =>
  html`<p>${message}</p><dl><dt>Setting</dt><dd><strong>${SETTINGS[setting]}</strong></dd><dt>What to do</dt><dd>${next}</dd></dl>`

function outcomeOf({ operator, rule }: TestReport): Html {
  if (operator === undefined) return html``
  const by = rule === undefined ? 'which was given in person' : `by rule ${rule}`
  const who = operator.isNew ? 'a new operator' : `the operator ${operator.name}`
  return html`<p>This account would sign in as ${who}, with the role <strong>${operator.role}</strong>, ${by}.</p>`
}

function accountOf({ account }: TestReport): Html {
  if (account === undefined) return html``
  const { email, unverifiedEmail, name, groups } = account
  const address = email ?? (unverifiedEmail === undefined ? 'none' : `${unverifiedEmail}, not verified`)
  const more = groups.length > GROUPS_SHOWN ? `, and ${groups.length - GROUPS_SHOWN} more` : ''
  const shown = groups.length === 0 ? 'none' : groups.slice(0, GROUPS_SHOWN).join(', ') + more
  return html`<dl><dt>E-mail address</dt><dd>${address}</dd><dt>Name</dt><dd>${name ?? 'none'}</dd><dt>Groups</dt><dd>${shown}</dd></dl>`
}
