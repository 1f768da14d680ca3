/**
 * Every id that an operation takes, found by its schema: another tenant's id gets the same response as an unknown one, and
 * nothing of the other tenant changes. Also in a console session.
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { type Operation, writes } from '#contract/core/operation.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { respondToDomainRequest } from '#contract/keys/domain-requests.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { getUserAccessRevocation } from '#contract/users/user-access.ts'
import { getWebhookEndpoints } from '#contract/webhooks/endpoints.ts'
import { resendWebhookMessage } from '#contract/webhooks/messages.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { createWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { completeErasure, completeMigration, completeRevocation } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, type Callers, callersFrom, keyOf } from './support/callers.ts'
import { asOwner, signIn } from './support/console-session.ts'
import { GIVEN, OF_WEBHOOKS, requestedDomain, STEPS, webhookOf } from './support/example-world.ts'
import { withoutHealth, withoutLastUse, withoutRequestId, withoutShown } from './support/refused.ts'
import { exampleWith, type Place, placesOf, written } from './support/schema-walk.ts'

const server = await sharedServer()

/** Returns the example of an operation with the ids of the other tenant. */
const renamed = ({ example }: Operation): object =>
  JSON.parse(
    JSON.stringify(example).replace(/"(acme|plans|roadmap|ada|design|pricing|approved-1|published-1)"/g, '"theirs-$1"'),
  )

const GRANT_ON_DOCUMENT = {
  permissions: { resources: [{ type: 'document', id: 'theirs-roadmap', organizationId: 'theirs-acme' }] },
}

const ONE_DOCUMENT = {
  organizationId: undefined,
  resource: { type: 'document', id: 'theirs-roadmap', organizationId: 'theirs-acme' },
}

/** A call about a user group instead of a user. */
const OF_GROUP = {
  user: undefined,
  userId: undefined,
  group: { organizationId: 'theirs-acme' },
  permissions: { resources: [{ type: 'organization', id: 'theirs-acme' }] },
}

const BY_OWN = { from: { userId: 'own' } }

/** No other visibility has organizations. */
const FOR_MEMBERS = { type: 'organizationPrivate' }

const GIVES_VIEWER = { grants: [{ accessRole: 'viewer', expiresAt: 1_900_000_000 }] }

/** Changes to an example whose other fields would contradict the tested one, by its field, or by operation and field. */
const INSTEAD: Record<string, object> = {
  'folders[0].parentFolderId': { folders: [{ folderId: 'own' }] },
  parentFolderId: { folderId: undefined },
  'folders.get folderIds[0]': { folderId: undefined },
  'search.find userId': { kinds: ['thread'] },
  'user-tokens.generate userProperties.organizationId': { permissions: { resources: [] } },
  'users.add parentFolderId': { folderId: 'own', createFolder: true },
  newDocumentId: { documentId: 'own' },
  'user.userId': { userId: undefined },
  'permissions.resources[0].id': GRANT_ON_DOCUMENT,
  'permissions.resources[0].organizationId': GRANT_ON_DOCUMENT,
  'group.groupId': OF_GROUP,
  'add[0].groupId': { add: [{ resource: { type: 'folder', id: 'theirs-plans' } }] },
  'remove[0].groupId': { remove: [{ resource: { type: 'folder', id: 'theirs-plans' } }] },
  'sharing.update grants[0].groupId': GIVES_VIEWER,
  'sharing.update grants[0].userId': GIVES_VIEWER,
  'sharing.update removals[0].groupId': { grants: undefined },
  'sharing.update removals[0].userId': { grants: undefined },
  'grants[0].groupId': { grants: [{ type: 'organization', id: 'theirs-acme' }] },
  'invitations.add documentId': { type: 'doc_user' },
  'invitations.add folderId': { type: 'folder_user' },
  'invitations.respond documentId': { type: 'doc_user' },
  'invitations.respond folderId': { type: 'folder_user' },
  ...Object.fromEntries(
    [
      'from.userId',
      'taggedUserContacts[0].userId',
      'taggedUserContacts[0].contact.userId',
      'progress.visibleToUserIds[0]',
    ].flatMap((field) => [
      [`commentAnnotations[0].comments[0].${field}`, { commentAnnotations: [{ comments: [BY_OWN] }] }],
      [`comments.add comments[0].${field}`, { commentData: undefined, comments: [BY_OWN] }],
    ]),
  ),
  'commentAnnotations[0].visibility.organizationIds[0]': {
    commentAnnotations: [{ commentData: [BY_OWN], visibility: FOR_MEMBERS }],
  },
  'updatedData.visibility.organizationIds[0]': { updatedData: { visibility: FOR_MEMBERS } },
  'notificationPreferences[0].userId': { notificationPreferences: [{ config: { inbox: 'ALL' } }] },
  'threads.get documentIds[0]': { documentId: undefined },
  'resource.id': ONE_DOCUMENT,
  'resource.organizationId': ONE_DOCUMENT,
}

/** Fields that must repeat another field of the call, or the workspace of its credentials. */
const REPEATS = /^workspaceId$|^(group|user|users\[0\]|(add|remove|accessTypes)\[0\]\.resource)\.organizationId$/

/** Fields that hold an id, by the end of their names, with the id of the other tenant. */
const THEIRS: [RegExp, (theirs: Theirs, operation: Operation) => string][] = [
  [/(^a|A)piKeys?$/, ({ apiKey }) => apiKey],
  [/^authTokenId$/, ({ authTokenId }) => authTokenId],
  [/^operatorId$/, ({ operatorId }) => operatorId],
  [/^tokenId$/, ({ tokenId }) => tokenId],
  [/^migrationId$/, ({ migrationId }) => migrationId],
  [/^jobId$/, (theirs, operation) => jobIdOf(theirs, operation)],
  [/^endpointId$/, ({ endpointId }) => endpointId],
  [/^messageId$/, ({ messageId }) => messageId],
  [/(^o|O)rganizationIds?$/, () => 'theirs-acme'],
  [/(^f|F)olderIds?$/, () => 'theirs-plans'],
  [/(^d|D)ocumentIds?$/, () => 'theirs-roadmap'],
  [/^(a|targetA)nnotationIds?$/, () => 'theirs-pricing'],
  [/(^u|U)serIds?$/, () => 'theirs-ada'],
  [/(^g|G)roupIds?$/, () => 'theirs-design'],
  [/^activityIds$/, () => 'theirs-approved-1'],
  [/^notificationIds?$/, () => 'theirs-published-1'],
  [/^(clientDocId|resourceId)$/, () => 'theirs-roadmap'],
  [/^id$/, ({ requestId }, { name }) => (name === respondToDomainRequest.name ? requestId : 'theirs-roadmap')],
]

/** Fields whose names look like ids but name nothing of ours. */
const OF_OTHERS =
  /^(emailServiceConfig\.|uniqueId$|clientId$)|\b(agent|execution|finding|element|target|targetEntity|targetSubEntity|location|status|priority)Ids?(\[0\])?$|\b(steps\[0\]|actions\[0\]|status|priority|location)\.id$/

const nameOf = ({ path }: Place): string => String(path.findLast((part) => typeof part === 'string') ?? '')

const idsOf = (operation: Operation): Place[] =>
  placesOf(operation).filter(
    (place) =>
      place.schema.type === 'string' &&
      /(^id|Ids?|(^a|A)piKeys?)$/.test(nameOf(place)) &&
      !OF_OTHERS.test(written(place.path)) &&
      !REPEATS.test(written(place.path)),
  )

/** Returns the id of the job whose status the operation reads. */
const jobIdOf = ({ jobId, revocationId }: Theirs, { name }: Operation): string =>
  name === getUserAccessRevocation.name ? revocationId : jobId

interface Theirs {
  callers: Callers
  apiKey: string
  authTokenId: string
  tokenId: string
  operatorId: string
  migrationId: string
  jobId: string
  revocationId: string
  endpointId: string
  messageId: string
  /** The id of a request for a domain. */
  requestId: string
}

async function newTheirs(): Promise<Theirs> {
  const callers = await callersFrom(server.client)
  const { apiKey } = await callers.workspace.call(createApiKey, createApiKey.example)
  for (const step of STEPS) await callers.apiKey.call(step, renamed(step))
  const document = { organizationId: 'theirs-acme', documentId: 'theirs-roadmap', newDocumentId: 'theirs-moved' }
  const migrationId = await completeMigration(callers.apiKey, document)
  await completeMigration(callers.apiKey, {
    ...document,
    documentId: document.newDocumentId,
    newDocumentId: document.documentId,
  })
  const { authToken } = await callers.workspace.call(createAuthToken, { apiKey, name: 'theirs' })
  const jobId = await completeErasure(callers.apiKey, { userIds: ['theirs-nobody'] })
  const revocationId = await completeRevocation(callers.apiKey, { userIds: ['theirs-nobody'] })
  const webhook = await webhookOf(callers, resendWebhookMessage)
  // From its first failure on, the webhook is among the findings.
  await until('the webhook fails', async () => {
    const { endpoints } = await callers.apiKey.call(getWebhookEndpoints, {})
    return typeof endpoints[0]?.health.failingSince === 'number'
  })
  const { id: tokenId } = await callers.workspace.call(createWorkspaceToken, { name: 'theirs' })
  const requestId = await requestedDomain(callers)
  const { operator } = await callers.workspace.call(inviteOperator, { email: 'theirs@example.com', role: 'support' })
  const ids = { authTokenId: authToken.id, tokenId, migrationId, jobId, revocationId, requestId }
  return { callers, apiKey, ...ids, operatorId: operator.id, ...webhook }
}

/** Returns another id of the same length and kind. */
const unknown = (id: string): string =>
  id.startsWith('theirs-')
    ? id.replace('theirs', 'nobody')
    : id.replace(/.{6}$/, id.endsWith('000000') ? '111111' : '000000')

/** Removes what differs between calls, and between API keys. */
const comparable = (text: string, id: string, mine: string): string =>
  text
    .replaceAll(id, 'ID')
    .replaceAll(id.endsWith('-acme') ? 'theirs-acme' : id, 'ID')
    .replaceAll(mine, 'MINE')
    .replace(/"id":"[0-9a-f]{32}"/g, '"id":"given"')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replace(/"(token|signature)":"[^"]+"/g, '"$1":""')
    .replace(/"(createdAt|lastUpdated|expiresAt)":\d+/g, '"$1":0')

interface Tenant {
  mine: Callers
  /** Its console session, signed in to by the first call that needs it. */
  session(): Promise<Client>
}

async function newTenant(hasOrganization: boolean): Promise<Tenant> {
  const mine = await callersFrom(server.client)
  return { mine: await prepared(mine, hasOrganization), session: sessionOf(mine) }
}

const sessionOf = (mine: Callers): Tenant['session'] => {
  let session: Promise<Client> | undefined
  return () => {
    session ??= signIn(server.client, asOwner(mine), { 'x-service-api-key': apiKeyOf(mine.apiKey) })
    return session
  }
}

async function prepared(mine: Callers, hasOrganization: boolean): Promise<Callers> {
  if (hasOrganization) await mine.apiKey.call(addOrganizations, { organizations: [{ organizationId: 'theirs-acme' }] })
  return mine
}

/** The workspace of the keys of calls that see only their key. */
let shared: Promise<Tenant> | undefined

/** Returns a tenant with a new key of the shared workspace, and with its console session. */
async function newKeyTenant(hasOrganization: boolean): Promise<Tenant> {
  shared ??= newTenant(false)
  const { mine, session } = await shared
  const apiKey = await keyOf(mine.workspace)
  return {
    mine: await prepared({ ...mine, apiKey }, hasOrganization),
    session: async () => {
      const { headers, with: by } = await session()
      return by({ ...headers, 'x-service-api-key': apiKeyOf(apiKey) })
    },
  }
}

/** The tenants of calls that only read, with and without an organization of the same id. */
const readers = new Map<boolean, Promise<Tenant>>()

/** Returns a new tenant for a call that writes, or needs a webhook of its own; calls that only read share theirs. */
function tenantFor(operation: Operation, hasOrganization: boolean): Promise<Tenant> {
  if (writes(operation) || OF_WEBHOOKS.test(operation.path))
    return operation.credentials === 'apiKey' ? newKeyTenant(hasOrganization) : newTenant(hasOrganization)
  const reader = readers.get(hasOrganization) ?? newTenant(hasOrganization)
  readers.set(hasOrganization, reader)
  return reader
}

/** Calls as a tenant with an empty organization of the same id, unless that is the tested id. */
async function responseTo(
  operation: Operation,
  place: Place,
  { id, signedIn, theirs }: { id: string; signedIn: boolean; theirs: Theirs },
): Promise<string> {
  const { mine, session } = await tenantFor(operation, !id.endsWith('-acme'))
  const own = await webhookOf(mine, operation)
  const field = written(place.path)
  const example = { ...renamed(operation), ...(INSTEAD[`${operation.name} ${field}`] ?? INSTEAD[field]) }
  const body = JSON.stringify({ data: exampleWith({ ...operation, example }, place.path, id) })
    .replaceAll(GIVEN.apiKey, apiKeyOf(mine.apiKey))
    .replaceAll(GIVEN.id, operation.name.startsWith('auth-tokens') ? theirs.authTokenId : theirs.migrationId)
    .replaceAll(GIVEN.endpointId, own.endpointId)
    .replaceAll(GIVEN.messageId, own.messageId)
  const { credentials, path } = operation
  const caller = signedIn && credentials !== 'none' ? await session() : mine[credentials]
  const answer = await caller.raw(path, body)
  assert.notEqual(answer.body.error?.reason, 'invalid_argument', answer.text)
  return comparable(withoutHealth(withoutRequestId(answer)), id, apiKeyOf(mine.apiKey))
}

describe("another tenant's id", () => {
  let theirs: Theirs
  /** Everything of the other tenant, which no test changes. */
  let before: Awaited<ReturnType<typeof look>>
  let eventsBefore: unknown
  beforeAll(async () => {
    theirs = await newTheirs()
    before = await look()
    eventsBefore = await countEvents()
  })

  /** Every change writes an event, so one statement that counts them shows after each call whether it has changed something. */
  const countEvents = async () => {
    const { workspaceId } = asOwner(theirs.callers)
    const text = 'select api_key_id, count(*) from events where workspace_id = $1 group by 1 order by 1'
    return (await server.db.query(text, [workspaceId])).rows
  }

  /** Reads everything of the other tenant. */
  const look = () =>
    Promise.all(
      OPERATIONS.filter((operation) => !writes(operation)).map(async (operation) => {
        const body = JSON.stringify({ data: renamed(operation) })
          .replaceAll(GIVEN.apiKey, theirs.apiKey)
          .replaceAll(
            GIVEN.id,
            operation.name.startsWith('migrations') ? theirs.migrationId : jobIdOf(theirs, operation),
          )
          .replaceAll(GIVEN.endpointId, theirs.endpointId)
        const answer = await theirs.callers[operation.credentials].raw(operation.path, body)
        assert.equal(answer.http, 200, answer.text)
        // Deliveries to the other tenant's webhook are retried, and its own calls are counted, on a schedule.
        return [
          operation.name,
          /^(webhook-attempts|usage|account-usage)\./.test(operation.name)
            ? null
            : JSON.parse(withoutShown(withoutHealth(withoutLastUse(answer.text)))),
        ]
      }),
    )

  for (const operation of OPERATIONS.filter((operation) => idsOf(operation).length > 0))
    describe(`of ${operation.name}`, () => {
      for (const place of idsOf(operation))
        it(`in ${written(place.path)} gets the same response as an unknown one`, async () => {
          const [, idOf] = THEIRS.find(([name]) => name.test(nameOf(place))) ?? assert.fail('an id of what?')
          const id = idOf(theirs, operation)
          const [foreign, ...others] = await Promise.all([
            responseTo(operation, place, { id, signedIn: false, theirs }),
            responseTo(operation, place, { id: unknown(id), signedIn: false, theirs }),
            responseTo(operation, place, { id, signedIn: true, theirs }),
            responseTo(operation, place, { id: unknown(id), signedIn: true, theirs }),
          ])
          for (const other of others) assert.equal(other, foreign)
        })

      if (writes(operation))
        it('writes no event of the other tenant', async () => {
          assert.deepEqual(await countEvents(), eventsBefore)
        })
    })

  it('lets no call change anything of the other tenant', async () => {
    assert.notDeepEqual(eventsBefore, [])
    assert.deepEqual(await look(), before)
  })
})
