/** The calls of the upgrade test on a restored store: they read everything that callers can read, and one repeats a call. */
import type { Client } from '#testing/client.ts'
import type { Filled } from './fill.ts'

export interface Question {
  as: keyof Filled['callers']
  path: string
  data: object
}

/** Messages and request ids may change between versions. */
const UNPROMISED = ['message', 'requestId']

/** The answer to a question or its refusal, without the parts that may change. */
export async function ask(none: Client, callers: Filled['callers'], { as, path, data }: Question): Promise<object> {
  const { http, text } = await none.with(callers[as]).post(path, data)
  const isFree = (key: string, value: unknown) =>
    UNPROMISED.includes(key) || (key === 'error' && typeof value === 'string')
  return { http, ...JSON.parse(text, (key, value) => (isFree(key, value) ? undefined : value)) }
}

const organizationId = 'acme'
const inAcme = (path: string, more: object = {}): Question => ({
  as: 'apiKey',
  path,
  data: { organizationId, ...more },
})
const ofKey = (path: string, data: object = {}): Question => ({ as: 'apiKey', path, data })

export const questionsOf = ({ apiKey, endpointId, migrationId, jobId, userToken }: Filled['given']): Question[] => [
  { as: 'workspace', path: '/v2/workspace/get', data: {} },
  { as: 'workspace', path: '/v2/workspace/apikeys/get', data: { apiKeys: [apiKey] } },
  { as: 'workspace', path: '/v2/workspace/authtokens/get', data: { apiKey } },
  { as: 'workspace', path: '/v2/workspace/account/events/list', data: {} },
  { as: 'reader', path: '/v2/organizations/get', data: {} },
  { as: 'repeating', path: '/v2/organizations/add', data: { organizations: [{ organizationId: 'repeated' }] } },
  { as: 'session', path: '/console/session/get', data: {} },
  inAcme('/v2/organizations/folders/get'),
  inAcme('/v2/organizations/documents/get'),
  inAcme('/v2/organizations/documents/count'),
  inAcme('/v2/organizations/documents/migrations/list'),
  inAcme('/v2/organizations/documents/migrate/status', { migrationId }),
  inAcme('/v2/organizations/usergroups/get'),
  inAcme('/v2/users/get'),
  inAcme('/v2/auth/permissions/get', {
    ...{ userIds: ['ada', 'bob', 'eve'], documentIds: ['roadmap', 'open', 'final', 'draft', 'declared'] },
  }),
  inAcme('/v2/auth/permissions/grants/list'),
  inAcme('/v2/auth/permissions/resources/list', { userId: 'ada' }),
  ofKey('/v2/auth/permissions/users/list', { resource: { type: 'document', id: 'roadmap', organizationId } }),
  inAcme('/v2/users/data/get', { userId: 'ada' }),
  ofKey('/v2/users/data/delete/status', { jobId }),
  ofKey('/v2/users/profiles/list'),
  ofKey('/v2/auth/token/verify', { token: userToken }),
  ofKey('/v2/auth/signingkeys/list'),
  ofKey('/v2/workspace/domains/get'),
  ofKey('/v2/workspace/apikeyconfig/get'),
  ofKey('/v2/workspace/emailconfig/get'),
  ofKey('/v2/workspace/webhookconfig/get'),
  ofKey('/v2/workspace/advancedwebhookconfig/get'),
  ofKey('/v2/workspace/advancedwebhook/endpoints/get'),
  ofKey('/v2/workspace/advancedwebhook/endpoints/secret/get', { endpointId }),
  ofKey('/v2/workspace/webhooks/attempts/list', { endpointId }),
  ofKey('/v2/workspace/events/list'),
]
