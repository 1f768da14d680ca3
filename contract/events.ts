/** `workspace/events/list` and `workspace/account/events/list`: what has happened (decisions F1). */
import Type from 'typebox'
import { FAMILIES, TYPES } from './event-types.ts'
import { OrganizationId, PageSize, PageToken, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { ResourceName, ResourceType } from './permissions.ts'

export const EventType = Type.Enum(TYPES)
export type EventType = Type.Static<typeof EventType>

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
