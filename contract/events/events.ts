/** `workspace/events/list` and `workspace/account/events/list`: what has happened (rules/events.md#events). */
import Type from 'typebox'
import { ResourceName, ResourceType } from '../access/permissions.ts'
import { ClosedObject, Milliseconds } from '../core/fields.ts'
import { OrganizationId, PAGING, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { ENTRY_KINDS } from '../resources/search.ts'
import { NamedOperator, OperatorId } from '../workspace/operators.ts'
import { FAMILIES, TYPES } from './event-types.ts'

export const EventType = Type.Enum(TYPES)
export type EventType = Type.Static<typeof EventType>

/** A type, or a family of types such as `permission.*`. */
export const EventFilter = Type.Enum([...TYPES, ...FAMILIES])

export const EventTypes = Type.Array(EventFilter, {
  description: 'Types of events, and families of types such as `permission.*`; see the reference of events.',
  minItems: 1,
  maxItems: TYPES.length + FAMILIES.length,
})

export const EventResource = Type.Object(
  { type: ResourceType, id: Type.String() },
  { description: 'A resource of `organizationId`.' },
)

/** Who caused a change. */
export const EventActor = Type.Object(
  {
    apiKey: Type.Optional(Type.String()),
    token: Type.Optional(
      Type.String({ description: "The name of the auth token; `workspace` for the workspace's own." }),
    ),
    operator: Type.Optional(
      Type.Object(NamedOperator.properties, {
        description: 'The operator of the workspace who did it in the console, with the name at that time.',
      }),
    ),
    userToken: Type.Optional(
      Type.Literal(true, {
        description: 'A user caused it with a user token: `userId` here, or else `userId` of the event.',
      }),
    ),
    userId: Type.Optional(
      Type.String({
        description:
          'The user who shared the document, or the pseudonym of an erased user; the event is about another.',
      }),
    ),
    address: Type.Optional(
      Type.String({ description: 'The network address of the caller; absent with a user token.' }),
    ),
    system: Type.Optional(Type.String({ description: 'The part of the service that caused it, such as `expiry`.' })),
  },
  { description: 'Who caused it.' },
)

/** An event as all consumers receive it. */
export const Event = Type.Object({
  id: Type.String({ description: 'The id of the event, which is the same in lists, webhooks and exports.' }),
  type: EventType,
  changedAt: Type.Integer({ description: 'Milliseconds.' }),
  actor: EventActor,
  apiKey: Type.Optional(Type.String({ description: 'The API key that the event is about.' })),
  organizationId: Type.Optional(
    Type.String({ description: 'Absent on events outside organizations, such as sign-ins.' }),
  ),
  resource: Type.Optional(EventResource),
  groupId: Type.Optional(Type.String({ description: 'The user group of the event, if it is about one.' })),
  userId: Type.Optional(
    Type.String({ description: 'The user that the event is about, or the pseudonym of an erased user.' }),
  ),
  before: Type.Optional(Type.Object({}, { additionalProperties: true })),
  after: Type.Optional(Type.Object({}, { additionalProperties: true })),
})
export type Event = Type.Static<typeof Event>

export const EventActorFilter = ClosedObject({
  token: Type.Optional(
    Type.String({
      description: "Caused with the auth token of this name; `workspace` stands for the workspace's own.",
      minLength: 1,
      maxLength: LIMITS.nameCharactersMax,
    }),
  ),
  operatorId: Type.Optional({ ...OperatorId, description: 'Caused by this operator.' }),
  system: Type.Optional(Type.Boolean({ description: '`true`: caused by the service itself; `false`: by a caller.' })),
})

const filters = {
  types: Type.Optional(EventTypes),
  actor: Type.Optional(EventActorFilter),
  from: Type.Optional(Milliseconds('Changed at this time or later, in **milliseconds**.')),
  to: Type.Optional(Milliseconds('Changed before this time, in **milliseconds**.')),
  order: Type.Optional(Type.Enum(['newestFirst', 'oldestFirst'], { default: 'newestFirst' })),
  includeNames: Type.Optional(
    Type.Boolean({ description: 'Adds `names`: the names of the subjects of the events on the page.', default: false }),
  ),
  ...PAGING,
}

/** A named thing that events mention. */
export const NAMED_KINDS = [...ENTRY_KINDS, 'apiKey', 'operator', 'webhookEndpoint'] as const

export const EventName = Type.Object({
  kind: Type.Enum([...NAMED_KINDS]),
  id: Type.String({ description: 'The id in the events.' }),
  organizationId: Type.Optional(Type.String({ description: 'The organization of a folder, document or user group.' })),
  name: Type.Optional(
    Type.String({
      description:
        'The current name; for a deleted subject, the last name in its events. For a webhook endpoint, its URL.',
    }),
  ),
  email: Type.Optional(Type.String({ description: 'The address of a user.' })),
})
export type EventName = Type.Static<typeof EventName>

export const EventPage = Type.Object({
  events: Type.Array(Event),
  names: Type.Optional(
    Type.Array(EventName, {
      description:
        'With `includeNames`: what the events of this page are about, each once. Things without a name are absent.',
    }),
  ),
  hasMore: Type.Boolean({
    description: 'Whether there may be more events now. If false with `oldestFirst`, call again later with the token.',
  }),
})

const PAGES = `A page scans at most ${thousands(LIMITS.eventsExaminedPerPageMax)} events, so a filtered page may be short or empty while \`hasMore\` is true: continue with \`nextPageToken\`. \`oldestFirst\` always returns a \`nextPageToken\`; a reader that keeps it gets every event exactly once, and those of each organization in the order in which they happened.`

export const listEvents = operation({
  name: 'events.list',
  path: '/v2/workspace/events/list',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'List events',
  description: `Lists every change under the API key, with the caller, what was changed, and the values before and after, as long as \`EVENT_RETENTION_DAYS\` keeps them. ${PAGES}`,
  data: ClosedObject(
    {
      organizationId: Type.Optional(OrganizationId),
      userId: Type.Optional(UserId),
      resource: Type.Optional(ResourceName),
      ...filters,
    },
    { isPeriod: true },
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
  description: `Lists the changes of the workspace and of its API keys, including deleted ones, their auth tokens and signing keys; \`workspace/events/list\` lists the changes within a key. ${PAGES}`,
  data: ClosedObject(
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
    { isPeriod: true },
  ),
  result: EventPage,
  success: 'Events listed successfully.',
  example: { types: ['api_key.*', 'auth_token.*'], actor: { token: 'workspace' } },
})

export const EVENT_OPERATIONS = [listEvents, listAccountEvents]
