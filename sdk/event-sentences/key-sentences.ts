/** The sentences of events of workspaces and API keys: people and their sign-ins, tokens, settings and webhooks. */
import { changesInWords, countsInWords, duration, valueText } from './changes.ts'
import { fieldInWords } from './field-names.ts'
import { type SentenceOf, withContents } from './organization-sentences.ts'
import { type Sentence, say, value } from './parts.ts'
import { type Subjects, textOf } from './subjects.ts'

const quoted = (text: string | undefined, otherwise: string) => (text === undefined ? otherwise : value(text))

const ofKey = ({ apiKey, event }: Subjects): Sentence => (event.apiKey === undefined ? [] : say` of ${apiKey}`)

/** The operator that an event is about. */
const person = ({ text, operator }: Subjects): Sentence => {
  const id = text('operatorId')
  const name = text('name') ?? text('email')
  if (id === undefined) return say`${quoted(name, 'somebody')}`
  return name === undefined ? operator(id) : say`${{ kind: 'operator', text: name, id }}`
}

const METHODS: Readonly<Record<string, string>> = {
  link: 'with a link',
  passkey: 'with a passkey',
  token: 'with the workspace token',
  oidc: 'with single sign-on',
}

const signedIn: SentenceOf = ({ actor, after }) => {
  const method = textOf(after.method)
  const how = method === undefined ? [] : say` ${METHODS[method] ?? `with ${method}`}`
  return after.confirmed === true
    ? say`${actor} confirmed who they are in the console${how}`
    : say`${actor} signed in to the console${how}`
}

/** `, until 3 March 2027`, of a token that expires; in seconds. */
const until = ({ after, time }: Subjects): Sentence =>
  typeof after.expiresAt === 'number' ? say`, until ${value(time(after.expiresAt * 1_000))}` : []

/** The time for which the replaced secret still works. */
const grace = ({ gracePeriodSeconds }: Subjects['after']): Sentence =>
  typeof gracePeriodSeconds === 'number' && gracePeriodSeconds > 0
    ? say`; the old ones work for ${duration(gracePeriodSeconds)} more`
    : []

const settingsChanged: SentenceOf = (subjects) => {
  const changes = changesInWords(subjects.before, subjects.after)
  const what = say`${subjects.actor} changed the settings${ofKey(subjects)}`
  return changes === undefined ? what : say`${what}: ${changes}`
}

const requested =
  (verb: string): SentenceOf =>
  (subjects) =>
    say`${subjects.actor} ${verb} the domain ${quoted(subjects.text('domain'), 'of a request')}`

const withScopes = (scopes: unknown): Sentence =>
  Array.isArray(scopes) && scopes.length > 0 ? say` with the scopes ${value(scopes.map(String).join(', '))}` : []

const changedEndpoint: SentenceOf = ({ actor, endpoint, before, after }) => {
  const changes = changesInWords(before, after)
  return changes === undefined ? say`${actor} changed ${endpoint}` : say`${actor} changed ${endpoint}: ${changes}`
}

/** `emailServiceConfig.apiKey` → `API key (e-mail)`. */
function secretIn(path = 'in the settings'): string {
  const [field = '', service] = path.split('.').reverse()
  return service === undefined ? fieldInWords(field) : `${fieldInWords(field)} (${fieldInWords(service)})`
}

const token = ({ text }: Subjects) => quoted(text('name'), 'without a name')

export const KEY_SENTENCES = {
  'workspace.created': ({ actor, text }) =>
    say`${text('ownerEmail') === undefined ? actor : value(text('ownerEmail') ?? '')} created the workspace ${quoted(text('name'), 'without a name')}`,
  'workspace_token.created': (subjects) =>
    say`${subjects.actor} created the workspace token ${token(subjects)}${until(subjects)}`,
  'workspace_token.reset': ({ actor, after }) => say`${actor} replaced all tokens of the workspace${grace(after)}`,
  'workspace_token.shown': ({ actor }) => say`${actor} asked for its own token in full`,
  'workspace_token.revoked': (subjects) => say`${subjects.actor} revoked the workspace token ${token(subjects)}`,
  'operator.invited': (subjects) =>
    say`${subjects.actor} invited ${person(subjects)} to the workspace as ${quoted(subjects.text('role'), 'an operator')}`,
  'operator.added': (subjects) =>
    say`${person(subjects)} signed in with single sign-on for the first time, as ${quoted(subjects.text('role'), 'an operator')}`,
  'operator.updated': (subjects) => {
    const changes = changesInWords(subjects.before, subjects.after)
    return say`${subjects.actor} changed ${person(subjects)}${changes && say`: ${changes}`}`
  },
  'operator.removed': (subjects) => say`${subjects.actor} removed ${person(subjects)} from the workspace`,
  'operator.signed_in': signedIn,
  'operator.passkey_added': ({ actor, text }) =>
    say`${actor} added the passkey ${quoted(text('name'), 'without a name')}`,
  'operator.passkey_removed': ({ actor, text }) =>
    say`${actor} removed the passkey ${quoted(text('name'), 'without a name')}`,
  'operator.session_ended': ({ actor, operator, text }) => {
    const id = text('operatorId')
    return say`${actor} ended a console session of ${id === undefined ? 'a token' : operator(id)}`
  },
  'sso_config.updated': ({ actor, before, after }) => {
    const changes = changesInWords(before, after)
    return say`${actor} changed single sign-on${changes && say`: ${changes}`}`
  },
  'sso_domain.verified': ({ actor, text }) =>
    say`${actor} verified the domain ${quoted(text('domain'), 'of single sign-on')} for single sign-on`,
  'sso_domain.lost': ({ text }) =>
    say`Another workspace verified the domain ${quoted(text('domain'), 'of single sign-on')}; this one lost it`,
  'api_key.created': ({ actor, apiKey, text }) => say`${actor} created the ${text('type') ?? ''} API key ${apiKey}`,
  'api_key.updated': settingsChanged,
  'domain_request.added': requested('requested'),
  'domain_request.accepted': requested('accepted'),
  'domain_request.rejected': requested('rejected'),
  'api_key.secret_shown': (subjects) =>
    say`${subjects.actor} showed the secret ${secretIn(subjects.text('field'))}${ofKey(subjects)}`,
  'api_key.disabled': ({ actor, apiKey }) => say`${actor} disabled the API key ${apiKey}`,
  'api_key.enabled': ({ actor, apiKey }) => say`${actor} enabled the API key ${apiKey}`,
  'api_key.deleted': ({ actor, apiKey, before }) => say`${actor} deleted the API key ${apiKey}${withContents(before)}`,
  'auth_token.created': (subjects) =>
    say`${subjects.actor} created the auth token ${token(subjects)}${ofKey(subjects)}${withScopes(subjects.after.scopes)}${until(subjects)}`,
  'auth_token.reset': (subjects) =>
    say`${subjects.actor} replaced all auth tokens${ofKey(subjects)}${grace(subjects.after)}`,
  'auth_token.shown': (subjects) => say`${subjects.actor} showed the auth tokens${ofKey(subjects)}`,
  'auth_token.revoked': (subjects) =>
    say`${subjects.actor} revoked the auth token ${token(subjects)}${ofKey(subjects)}`,
  'signing_key.rotated': (subjects) => say`${subjects.actor} rotated the signing key of user tokens${ofKey(subjects)}`,
  'webhook_endpoint.created': ({ actor, endpoint }) => say`${actor} created the webhook endpoint ${endpoint}`,
  'webhook_endpoint.updated': changedEndpoint,
  'webhook_endpoint.deleted': ({ actor, endpoint }) => say`${actor} deleted the webhook endpoint ${endpoint}`,
  'webhook_endpoint.secret_rotated': ({ actor, endpoint, after }) =>
    say`${actor} rotated the secret of ${endpoint}${grace(after)}`,
  'webhook_endpoint.secret_shown': ({ actor, endpoint }) => say`${actor} showed the secret of ${endpoint}`,
  'webhook_endpoint.disabled': ({ actor, endpoint, after }) =>
    say`${actor} disabled ${endpoint}, because ${after.reason === 'gone' ? 'it responded that it is gone' : 'it has failed for five days'}`,
  'webhook_endpoint.enabled': ({ actor, endpoint }) => say`${actor} enabled ${endpoint} again`,
  'webhook.test': ({ actor, endpoint }) => say`${actor} sent a test to ${endpoint}`,
  'webhook.resent': ({ actor, endpoint }) => say`${actor} sent a webhook message again to ${endpoint}`,
  'webhook.replayed': ({ actor, endpoint, after }) =>
    say`${actor} sent ${countsInWords(after, { messages: 'webhook message' }) ?? 'no webhook messages'} again to ${endpoint}`,
  'message.attempt.exhausted': ({ endpoint, after }) =>
    say`A webhook message could not be delivered to ${endpoint} after ${countsInWords(after, { attempts: 'attempt' }) ?? 'all attempts'}: ${value(failureOf(after))}`,
} satisfies Record<string, SentenceOf>

const failureOf = ({ httpStatus, error }: Subjects['after']): string =>
  httpStatus === undefined || httpStatus === null ? valueText(error) : `HTTP status ${valueText(httpStatus)}`
