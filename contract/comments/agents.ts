/** Comments of agents, suggestions, and who sees a thread (rules/comments.md#agents-and-suggestions, rules/comments.md#visibility). */
import Type from 'typebox'
import { ClosedObject, JsonValue } from '../core/fields.ts'
import { OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'

const OPEN = { additionalProperties: true, freeform: true } as const
const text = () => Type.String({ maxLength: LIMITS.nameCharactersMax })
const id = () => Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax })

const AgentReason = Type.Object(
  {
    title: text(),
    description: Type.String({ maxLength: LIMITS.commentTextCharactersMax }),
    severity: Type.Enum(['critical', 'high', 'medium', 'low', 'info']),
    findingId: Type.Optional(id()),
    findingType: Type.Optional(Type.Enum(['text', 'pin', 'page'])),
    issueType: Type.Optional(text()),
    confidence: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  },
  { description: 'What the agent found.', ...OPEN },
)

export const CommentAgent = ClosedObject(
  {
    agentSource: Type.String({
      description:
        '`external`: an agent of the caller. Commonhold has no agents of its own, so there is none for `service`.',
      minLength: 1,
      maxLength: LIMITS.idCharactersMax,
    }),
    agentId: id(),
    executionId: Type.Optional(id()),
    agentName: Type.Optional(text()),
    url: Type.Optional(Type.String({ maxLength: LIMITS.urlCharactersMax })),
    reason: AgentReason,
  },
  { description: 'The agent that wrote the comment; `agentName` is required.' },
)
export type CommentAgent = Type.Static<typeof CommentAgent>

export const ThreadSuggestion = Type.Object(
  {
    targetId: Type.Optional(id()),
    targetType: Type.Optional(text()),
    oldValue: Type.Optional(JsonValue('Any value.')),
    newValue: Type.Optional(JsonValue('Any value.')),
    summary: Type.Optional(Type.Union([Type.String({ maxLength: LIMITS.commentTextCharactersMax }), Type.Null()])),
    driftDetected: Type.Optional(Type.Boolean()),
    status: Type.Optional(Type.Enum(['pending', 'accepted', 'rejected'])),
  },
  { description: 'What a thread of type `suggestion` proposes.', ...OPEN },
)
export type ThreadSuggestion = Type.Static<typeof ThreadSuggestion>

export const ThreadVisibility = ClosedObject(
  {
    type: Type.Enum(['public', 'organizationPrivate', 'restricted']),
    organizationId: Type.Optional(OrganizationId),
    organizationIds: Type.Optional(Type.Array(OrganizationId, { maxItems: LIMITS.visibilityNamesMax })),
    userIds: Type.Optional(Type.Array(UserId, { maxItems: LIMITS.visibilityNamesMax })),
  },
  {
    description:
      '`public`: everybody with access to the document. `organizationPrivate`: the members of `organizationId` or `organizationIds`. `restricted`: the users of `userIds`, and the author.',
  },
)
export type ThreadVisibility = Type.Static<typeof ThreadVisibility>
