/** A data set with everything that the examples of the contract name, so that each of them succeeds. */
import assert from 'node:assert/strict'
import { addPermissions } from '#contract/access/permissions.ts'
import { addActivities } from '#contract/activities/activities.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { type Operation, writes } from '#contract/core/operation.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addDomainRequest, getDomainRequests, respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { addDomains } from '#contract/keys/domains.ts'
import { addNotification } from '#contract/notifications/notifications.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { migrateDocument } from '#contract/resources/migrations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { addUserGroups, addUserGroupUsers } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { testWebhook } from '#contract/webhooks/messages.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { updateSsoConfig, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import { createWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import type { Answer, Client } from '#testing/client.ts'
import { completeErasure, completeMigration, completeRevocation } from '#testing/jobs.ts'
import { type Callers, callersFrom } from './callers.ts'

/** The examples that create what the others name, each after the ones that it needs. */
export const STEPS: readonly Operation[] = [
  addOrganizations,
  addFolders,
  addDocuments,
  addUsers,
  addPermissions,
  addUserGroups,
  addUserGroupUsers,
  addDomains,
  addDomainRequest,
  addInvitation,
  addThreads,
  updateActivityConfig,
  addActivities,
  addNotification,
]

export interface ExampleWorld {
  callers: Callers
  /** Returns the example of an operation with the assigned ids of this world. */
  exampleOf(operation: Operation): object
  /** Calls with the example, or with other data with the ids of this world. */
  post(operation: Operation, data?: unknown): Promise<Answer>
}

/** The ids in the examples for which the service assigns others. */
export const GIVEN = {
  apiKey: 'chk_test_example',
  sourceApiKey: 'chk_test_source',
  id: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11',
  endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1',
  messageId: 'msg_00000000000000000000000000000000-1',
}

/** The worlds of operations that only read, by client and by what they need. */
const ofReaders = new WeakMap<Client, Map<string, Promise<ExampleWorld>>>()

/**
 * Returns the world for one operation: a new one if it writes (what shows secrets writes an event), or if it needs ids of its
 * own; all others read the same world.
 */
export const exampleWorld = (none: Client, target: Operation): Promise<ExampleWorld> =>
  writes(target) || target.secret ? newExampleWorld(none, target) : unchangedWorld(none, target)

/** Returns the world for a call that is refused, and so changes nothing: the world of the calls that only read. */
export function unchangedWorld(none: Client, target: Operation): Promise<ExampleWorld> {
  const { properties = {} } = target.data as { properties?: object }
  if (Object.keys(properties).some((name) => ASSIGNED.includes(name))) return newExampleWorld(none, target, STEPS)
  const worlds = ofReaders.get(none) ?? new Map<string, Promise<ExampleWorld>>()
  ofReaders.set(none, worlds)
  const needs = OF_WEBHOOKS.test(target.path) ? 'webhooks' : ''
  const world = worlds.get(needs) ?? newExampleWorld(none, target, STEPS)
  worlds.set(needs, world)
  return world
}

/** Fields with ids that the service assigns, of which each world has one. */
const ASSIGNED = [
  'sourceApiKey',
  'authTokenId',
  'operatorId',
  'tokenId',
  'migrationId',
  'jobId',
  'endpointId',
  'messageId',
]
/** The paths of operations on signed webhooks. */
export const OF_WEBHOOKS = /\/(advancedwebhook|webhooks)\//

/** The paths of operations that change a workspace, its keys or their settings: they need nothing that the steps create. */
const OF_THE_WORKSPACE = /^\/v2\/workspace\/(?!domains|additional-url)/

/**
 * Creates the world for one operation, through a client without credentials: for one of the steps, the steps before it;
 * for any other, all. `steps` are made instead of these.
 */
export async function newExampleWorld(
  none: Client,
  target: Operation,
  steps = stepsBefore(target),
): Promise<ExampleWorld> {
  const callers = await callersFrom(none)
  const { apiKey } = await callers.workspace.call(createApiKey, createApiKey.example)
  const source = await sourceOf(callers, target)
  for (const step of steps) await callers.apiKey.call(step, step.example)
  const given = await givenId(callers, apiKey, target)
  const webhook = await webhookOf(callers, target)
  if (target.name === verifySsoDomain.name)
    await callers.workspace.call(updateSsoConfig, { domains: [verifySsoDomain.example.domain] })
  const written = (body: unknown): string =>
    JSON.stringify(body)
      .replaceAll(GIVEN.apiKey, apiKey)
      .replaceAll(GIVEN.sourceApiKey, source)
      .replaceAll(GIVEN.id, given)
      .replaceAll(GIVEN.endpointId, webhook.endpointId)
      .replaceAll(GIVEN.messageId, webhook.messageId)
  return {
    callers,
    exampleOf: ({ example }) => JSON.parse(written(example)),
    post: ({ credentials, path, example }, data = example) => callers[credentials].raw(path, written({ data })),
  }
}

function stepsBefore(target: Operation): readonly Operation[] {
  const place = STEPS.indexOf(target)
  if (place !== -1) return STEPS.slice(0, place)
  return writes(target) && OF_THE_WORKSPACE.test(target.path) ? [] : STEPS
}

/** Creates the key whose settings an operation copies, which differ from those of others. */
async function sourceOf({ workspace }: Callers, { data }: Operation): Promise<string> {
  if (!('sourceApiKey' in ((data as { properties?: object }).properties ?? {}))) return GIVEN.sourceApiKey
  const settings = { ...createApiKey.example, defaultDocumentAccessType: 'restricted' } as const
  return (await workspace.call(createApiKey, settings)).apiKey
}

/** Returns the id of the auth token, operator, job or request that an operation names. */
async function givenId(callers: Callers, apiKey: string, { name, data }: Operation): Promise<string> {
  const { properties = {} } = data as { properties?: object }
  if ('authTokenId' in properties)
    return (await callers.workspace.call(createAuthToken, { apiKey, name: 'any' })).authToken.id
  if ('operatorId' in properties)
    return (await callers.workspace.call(inviteOperator, { email: 'any@example.com', role: 'support' })).operator.id
  if ('tokenId' in properties) return (await callers.workspace.call(createWorkspaceToken, { name: 'any' })).id
  if ('migrationId' in properties) return completeMigration(callers.apiKey, migrateDocument.example)
  if (name === respondToDomainRequest.name) return requestedDomain(callers)
  if (name === getUserAccessRevocation.name) return completeRevocation(callers.apiKey, revokeUserAccess.example)
  if ('jobId' in properties) return completeErasure(callers.apiKey, deleteUserData.example)
  return GIVEN.id
}

/** Creates what an operation on signed webhooks needs: the setting, an endpoint, and one message to it. No other message is sent there. */
export async function webhookOf(
  { apiKey }: Pick<Callers, 'apiKey'>,
  { path, data }: Operation,
): Promise<{ endpointId: string; messageId: string }> {
  const { properties = {} } = data as { properties?: object }
  const given = { endpointId: GIVEN.endpointId, messageId: GIVEN.messageId }
  if (!OF_WEBHOOKS.test(path)) return given
  await apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
  if (!('endpointId' in properties)) return given
  const endpoint = { url: 'https://receiver.invalid/', filterTypes: ['never.sent'] }
  const { id: endpointId } = await apiKey.call(createWebhookEndpoint, endpoint)
  if (!('messageId' in properties)) return { ...given, endpointId }
  return { endpointId, ...(await apiKey.call(testWebhook, { endpointId })) }
}

/** Returns the id of the only request for a domain. */
export async function requestedDomain({ apiKey }: Pick<Callers, 'apiKey'>): Promise<string> {
  const [id] = Object.keys((await apiKey.call(getDomainRequests, {})).requestedDomains)
  return id ?? assert.fail('no domain was requested')
}
