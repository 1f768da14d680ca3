/** Events: what each type says, and reading them with `workspace/events/list` (rules/events.md#events). */
import Type from 'typebox'
import { OrganizationId, PageSize, PageToken, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { ResourceName, ResourceType } from './permissions.ts'

export interface EventMeaning {
  /** What has happened, and to what. */
  says: string
  before?: string
  after?: string
}

const ENDPOINT =
  '`endpointId`, `url`, `description`, `filterTypes`, `channels`, `disabled`, `rateLimit`, `uid`, `metadata`'

/** The only table of event types. None of their fields ever holds a secret. */
export const EVENT_TYPES = {
  'workspace.created': { says: 'A workspace was created.', after: '`name`, `ownerEmail`' },
  'api_key.created': {
    says: 'An API key was created.',
    after: '`name`, `type`, `ownerEmail`, `allowedDomains`',
  },
  'api_key.updated': {
    says: 'Settings of the API key were changed: its name, its allowed domains, its configuration, or that of e-mail or webhooks.',
    before: 'the settings that changed, secrets hidden',
    after: 'the same as they are now',
  },
  'api_key.disabled': { says: 'The API key was disabled.' },
  'api_key.enabled': { says: 'The API key was enabled.' },
  'api_key.deleted': {
    says: 'The API key was deleted with everything in it.',
    before:
      '`name`, `type`, `ownerEmail`, and how many `organizations`, `folders`, `documents`, `users`, `userGroups`, `permissions`',
  },
  'auth_token.created': {
    says: 'An auth token was created.',
    after: '`id`, `name`, `scopes`, `expiresAt` if it has one',
  },
  'auth_token.reset': {
    says: 'All auth tokens of the key were replaced by a new one.',
    after: '`id`, `name`, `gracePeriodSeconds`',
  },
  'auth_token.revoked': { says: 'An auth token was revoked.', before: '`id`, `name`' },
  'signing_key.rotated': {
    says: 'User tokens are signed with a new key.',
    after: '`kid` of the new key, `verifying`: those that still verify',
  },
  'organization.added': {
    says: 'An organization was added, or came into being because something in it was mentioned.',
    after: '`organizationName`, `metadata`, if they were given',
  },
  'organization.updated': {
    says: 'Name or metadata of an organization were changed.',
    before: '`organizationName`, `metadata`',
    after: 'the same',
  },
  'organization.disabled': { says: 'An organization was disabled.', before: '`disabled`', after: '`disabled`' },
  'organization.enabled': { says: 'An organization was enabled.', before: '`disabled`', after: '`disabled`' },
  'organization.deleted': {
    says: 'An organization was deleted with everything in it.',
    before: '`organizationName`, and how many `folders`, `documents`, `permissions`',
  },
  'folder.added': {
    says: 'A folder was added.',
    after: '`folderName`, `parentFolderId`, `accessType`, if they were given',
  },
  'folder.updated': { says: 'The name of a folder was changed.', before: '`folderName`', after: '`folderName`' },
  'folder.moved': {
    says: 'A folder was moved with everything in it.',
    before: '`parentFolderId`',
    after: '`parentFolderId`, and how many `folders` were moved',
  },
  'folder.access_changed': {
    says: 'The access type of a folder was changed; null: none of its own.',
    before: '`accessType`',
    after: '`accessType`',
  },
  'folder.deleted': {
    says: 'A folder was deleted with everything in it.',
    before: '`folderName`, and how many `folders`, `documents`, `permissions`',
  },
  'document.added': {
    says: 'A document was added.',
    after: '`documentName`, `folderId`, `accessType`, `metadata`, if they were given',
  },
  'document.updated': {
    says: 'Name or metadata of a document were changed.',
    before: '`documentName`, `metadata`',
    after: 'the same',
  },
  'document.moved': { says: 'A document was moved to another folder.', before: '`folderId`', after: '`folderId`' },
  'document.access_changed': {
    says: 'The access type of a document was changed; null: none of its own.',
    before: '`accessType`',
    after: '`accessType`',
  },
  'document.disabled': { says: 'A document was disabled.', before: '`disabled`', after: '`disabled`' },
  'document.enabled': { says: 'A document was enabled.', before: '`disabled`', after: '`disabled`' },
  'document.deleted': {
    says: 'A document was deleted.',
    before: '`documentName`, `metadata`, and how many `permissions`',
  },
  'document.migration.started': {
    says: 'A document is being given another id.',
    after: '`migrationId`, `newDocumentId`',
  },
  'document.migration.completed': {
    says: 'A document was given another id; the resource of the event has the new one.',
    before: '`documentId`',
    after: '`migrationId`, `documentId`',
  },
  'document.migration.failed': {
    says: 'A document could not be given another id.',
    after: '`migrationId`, `newDocumentId`, `reason`',
  },
  'user.added': { says: 'A profile of a user was stored for the first time.', after: 'the profile' },
  'user.updated': { says: 'The profile of a user was changed.', before: 'the profile', after: 'the profile' },
  'user.removed': {
    says: 'A user was taken out of an organization, or erased.',
    before:
      'how many `permissions` and `userGroups`, `accessRole` and `expiresAt` of the membership; `profiles` that were erased',
    after: '`jobId` of an erasure',
  },
  'user_group.added': { says: 'A user group was added.', after: '`groupName`' },
  'user_group.updated': { says: 'A user group was renamed.', before: '`groupName`', after: '`groupName`' },
  'user_group.deleted': { says: 'A user group was deleted.', before: '`groupName`, and how many `users`' },
  'user_group.user_added': { says: 'A user was put into a user group.' },
  'user_group.user_removed': { says: 'A user was taken out of a user group.' },
  'user_group.emptied': { says: 'All users were taken out of a user group.', before: 'how many `users`' },
  'permission.added': {
    says: 'A user was granted a role, or a grant got another role or expiry.',
    before: '`accessRole`, `expiresAt` (seconds, or null) of the grant that was there',
    after: '`accessRole`, `expiresAt`',
  },
  'permission.removed': { says: 'A grant was taken away.', before: '`accessRole`, `expiresAt`' },
  'permission.expiring': {
    says: 'A grant ends soon, as soon as the key asks to be told (`expiringSoonSeconds`); nobody caused it.',
    after: '`accessRole`, `expiresAt`, as they are',
  },
  'permission.expired': { says: 'A grant has expired; nobody caused it.', before: '`accessRole`, `expiresAt`' },
  'user_token.generated': { says: 'A user signed in: a user token was generated.', after: '`jti`' },
  'user_token.revoked': {
    says: 'All tokens of a user that were issued until then were revoked.',
    after: '`tokensSince` (milliseconds)',
  },
  'webhook_endpoint.created': { says: 'A webhook endpoint was created.', after: ENDPOINT },
  'webhook_endpoint.updated': { says: 'A webhook endpoint was changed.', before: ENDPOINT, after: ENDPOINT },
  'webhook_endpoint.deleted': { says: 'A webhook endpoint was deleted.', before: ENDPOINT },
  'webhook_endpoint.secret_rotated': {
    says: 'A webhook endpoint got another secret.',
    after: '`endpointId`, `gracePeriodSeconds`',
  },
  'webhook_endpoint.disabled': {
    says: 'A webhook endpoint was disabled, because it has failed for five days or answered that it is gone.',
    after: '`endpointId`, `url`, `reason`: "failing" or "gone", `failingSince` (milliseconds)',
  },
  'webhook_endpoint.enabled': {
    says: 'A basic URL of webhooks that was disabled for its failures was enabled again.',
    after: '`endpointId`',
  },
  'webhook.test': { says: 'A webhook endpoint was sent a test.', after: '`endpointId`' },
  'webhook.resent': { says: 'A webhook message was sent again.', after: '`endpointId`, `messageId`' },
  'webhook.replayed': {
    says: 'Webhook messages were sent again.',
    after: '`endpointId`, `since`, `until`, and how many `messages`',
  },
  'message.attempt.exhausted': {
    says: 'A webhook message could not be delivered and was given up.',
    after: '`endpointId`, `messageId`, `eventType`, `attempts`, `httpStatus` or `error` of the last one',
  },
} as const satisfies Record<string, EventMeaning>

export type EventType = keyof typeof EVENT_TYPES

const TYPES = Object.keys(EVENT_TYPES) as EventType[]
export const EventType = Type.Enum(TYPES)

/** `permission.*`, `document.migration.*`: all types that begin so. */
const FAMILIES = [
  ...new Set(
    TYPES.flatMap((type) => {
      const parts = type.split('.')
      return parts.slice(1).map((_, length) => `${parts.slice(0, length + 1).join('.')}.*`)
    }),
  ),
]

/** The types that a filter of types and families means. */
export const typesOf = (filter: readonly string[]): EventType[] =>
  TYPES.filter((type) => filter.some((one) => one === type || (one.endsWith('*') && type.startsWith(one.slice(0, -1)))))

/** A type, or a family of them such as `permission.*`. */
export const EventFilter = Type.Enum([...TYPES, ...FAMILIES])

/** A filter by type. */
export const EventTypes = Type.Array(EventFilter, {
  description: 'Types of events, and families of them such as `permission.*`; see the reference of events.',
  minItems: 1,
  maxItems: TYPES.length + FAMILIES.length,
})

/** An event as everybody is told of it. */
export const Event = Type.Object({
  id: Type.String({ description: 'The same wherever the event is told of.' }),
  type: EventType,
  changedAt: Type.Integer({ description: 'Milliseconds.' }),
  actor: Type.Object(
    {
      apiKey: Type.Optional(Type.String()),
      token: Type.Optional(
        Type.String({ description: "The name of the auth token; `workspace` for the workspace's own." }),
      ),
      address: Type.Optional(Type.String({ description: 'The network address of the caller.' })),
      system: Type.Optional(Type.String({ description: 'What of the service itself did it, as `expiry`.' })),
    },
    { description: 'Who caused it.' },
  ),
  apiKey: Type.Optional(Type.String({ description: 'The API key that it is about.' })),
  organizationId: Type.Optional(Type.String({ description: 'Absent on events outside organizations, as sign-ins.' })),
  resource: Type.Optional(
    Type.Object({ type: ResourceType, id: Type.String() }, { description: 'Of `organizationId`.' }),
  ),
  groupId: Type.Optional(Type.String({ description: 'On events of user groups.' })),
  userId: Type.Optional(Type.String({ description: 'The user it is about, or a pseudonym of one who was erased.' })),
  before: Type.Optional(Type.Object({}, { additionalProperties: true })),
  after: Type.Optional(Type.Object({}, { additionalProperties: true })),
})
export type Event = Type.Static<typeof Event>

const Moment = (description: string) => Type.Integer({ description, minimum: 0, maximum: LIMITS.momentMillisecondsMax })

const filters = {
  types: Type.Optional(EventTypes),
  actor: Type.Optional(
    Type.Object(
      {
        token: Type.Optional(
          Type.String({
            description: "Caused with the auth token of this name; `workspace` is the workspace's own.",
            minLength: 1,
            maxLength: LIMITS.nameCharactersMax,
          }),
        ),
        system: Type.Optional(
          Type.Boolean({ description: '`true`: caused by the service itself; `false`: by a caller.' }),
        ),
      },
      { additionalProperties: false },
    ),
  ),
  from: Type.Optional(Moment('Changed at this time or later, in **milliseconds**.')),
  to: Type.Optional(Moment('Changed before this time, in **milliseconds**.')),
  order: Type.Optional(Type.Enum(['newestFirst', 'oldestFirst'], { default: 'newestFirst' })),
  pageSize: Type.Optional(PageSize),
  pageToken: Type.Optional(PageToken),
}

const EventPage = Type.Object({
  events: Type.Array(Event),
  hasMore: Type.Boolean({
    description: 'Whether there may be more now. `false` with `oldestFirst`: come back later with the token.',
  }),
})

const PAGES = `A page looks at ${LIMITS.eventsExaminedPerPageMax.toLocaleString('en')} events at most, so with a filter that few meet it may be short, or empty, while \`hasMore\` is true: go on with \`nextPageToken\`. \`newestFirst\` ends with what was there when its first page was read. \`oldestFirst\` never ends: it always answers a \`nextPageToken\`, which later answers what was added since, so that a reader who keeps it is told of every event exactly once, and of those of each organization in the order in which they happened, whoever writes at the same time.`

export const listEvents = operation({
  name: 'events.list',
  path: '/v2/workspace/events/list',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'List events',
  description: `What has happened under the API key: every change, with who caused it, what it was about, and what was there before and after. ${PAGES} Events of organizations that were deleted stay; the operator may remove all that are older than a number of days (\`EVENT_RETENTION_DAYS\`).`,
  data: Type.Object(
    {
      organizationId: Type.Optional(OrganizationId),
      userId: Type.Optional(UserId),
      resource: Type.Optional(ResourceName),
      ...filters,
    },
    { additionalProperties: false },
  ),
  result: EventPage,
  success: 'Events listed successfully.',
  example: { types: ['permission.*'], organizationId: 'acme', userId: 'ada', pageSize: 100 },
})

export const listAccountEvents = operation({
  name: 'account-events.list',
  path: '/v2/workspace/account/events/list',
  credentials: 'workspace',
  summary: 'List events of the workspace',
  description: `What has happened to the workspace and its API keys, deleted ones too: keys that were created, changed, disabled and deleted, their auth tokens and signing keys. What happened within a key is listed with \`workspace/events/list\`. ${PAGES}`,
  data: Type.Object(
    {
      apiKey: Type.Optional(
        Type.String({
          description: 'Only events of this API key.',
          minLength: 1,
          maxLength: LIMITS.tokenCharactersMax,
        }),
      ),
      ...filters,
    },
    { additionalProperties: false },
  ),
  result: EventPage,
  success: 'Events listed successfully.',
  example: { types: ['api_key.*', 'auth_token.*'], actor: { token: 'workspace' } },
})
