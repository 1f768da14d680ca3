/** The parts of threads and comments: people, mentions, status, priority, places, attachments, progress and actions. */
import Type from 'typebox'
import { JsonObject, JsonValue, Milliseconds } from '../core/fields.ts'
import { UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { UserRef } from '../users/user-refs.ts'

/** Open: other fields are stored and returned with these, within the bounds of metadata. */
const OPEN = { additionalProperties: true, freeform: true } as const
const CLOSED = { additionalProperties: false } as const

const text = (description?: string) =>
  Type.String({ maxLength: LIMITS.nameCharactersMax, ...(description === undefined ? {} : { description }) })
const url = (description?: string) =>
  Type.String({ maxLength: LIMITS.urlCharactersMax, ...(description === undefined ? {} : { description }) })
const optional = Type.Optional

const Pixels = Type.Number({ minimum: -LIMITS.pixelsMax, maximum: LIMITS.pixelsMax })

export const ThreadId = Type.String({
  description: "The caller's id of the thread, or one of 20 characters that the service assigned.",
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
  pattern: '^[^\\s:\\x00-\\x1f\\x7f-\\x9f]*$',
  says: 'not have colons, white space or control characters',
})

export const CommentId = Type.Integer({
  description: 'The number of the comment, unique in its thread.',
  minimum: 1,
  maximum: LIMITS.commentIdMax,
})

const taggedFields = { userId: UserId, contact: UserRef }
const tagged = 'A person whom the texts mention as `{{userId}}`.'

export const TaggedUser = Type.Object({ ...taggedFields, text: optional(text()) }, { description: tagged, ...CLOSED })
export type TaggedUser = Type.Static<typeof TaggedUser>

/** The same in calls on the comments of a thread, which also give the text that stands for the mention. */
export const MentionedUser = Type.Object({ ...taggedFields, text: text() }, { description: tagged, ...CLOSED })

export const ThreadStatus = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }),
    name: text(),
    type: Type.Enum(['default', 'ongoing', 'terminal']),
    color: optional(text()),
    lightColor: optional(text()),
    svg: optional(Type.String({ maxLength: LIMITS.svgCharactersMax })),
    iconUrl: optional(url()),
  },
  CLOSED,
)
export type ThreadStatus = Type.Static<typeof ThreadStatus>

export const ThreadPriority = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }),
    name: text(),
    color: optional(text()),
    lightColor: optional(text()),
  },
  CLOSED,
)
export type ThreadPriority = Type.Static<typeof ThreadPriority>

export const ThreadLocation = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }), locationName: optional(text()) },
  { description: 'A part of the document that the caller names.', ...OPEN },
)

export const TargetElement = Type.Object(
  {
    elementId: optional(url()),
    targetText: optional(Type.String({ maxLength: LIMITS.commentTextCharactersMax })),
    occurrence: optional(Type.Integer({ minimum: 0, maximum: LIMITS.pixelsMax })),
    selectAllContent: optional(Type.Boolean()),
  },
  { description: '`targetText` is searched inside the element.', ...CLOSED },
)

export const PageInfo = Type.Object(
  { url: optional(url()), title: optional(text()) },
  { description: 'The page on which the thread was started.', ...OPEN },
)

export const CommentContext = Type.Object(
  {},
  {
    description:
      "The caller's own fields. `access`, a map of texts and numbers, is what a reader's context must have too.",
    fieldsMax: LIMITS.contextFieldsMax,
    ...OPEN,
  },
)
export type CommentContext = Type.Static<typeof CommentContext>

export const CommentAttachment = Type.Object(
  {
    attachmentId: Type.Integer({ minimum: 0, maximum: LIMITS.commentIdMax }),
    name: optional(text()),
    bucketPath: optional(url()),
    size: optional(Type.Integer({ minimum: 0, maximum: LIMITS.commentIdMax })),
    type: optional(text()),
    url: optional(url()),
    thumbnail: optional(url()),
    mimeType: optional(text()),
    metadata: optional(JsonObject('Any fields.')),
  },
  { description: 'A reference to a file; the file itself is kept by the caller.', ...CLOSED },
)

export const CommentStep = Type.Object(
  {
    label: text(),
    id: optional(text()),
    state: optional(Type.Enum(['pending', 'active', 'completed', 'failed'])),
    startedAt: optional(Milliseconds('Milliseconds.')),
    completedAt: optional(Milliseconds('Milliseconds.')),
    metadata: optional(JsonValue('Any value.')),
  },
  CLOSED,
)

export const CommentProgress = Type.Object(
  {
    state: Type.Enum(['active', 'completed', 'failed', 'cancelled']),
    steps: optional(Type.Array(CommentStep, { maxItems: LIMITS.stepsMax })),
    visibleToUserIds: optional(
      Type.Array(UserId, {
        description: 'The users to whom a front end shows the progress. The service hides nothing.',
        maxItems: LIMITS.mentionsMax,
      }),
    ),
    startedAt: optional(Milliseconds('Milliseconds.')),
  },
  CLOSED,
)

export const CommentAction = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }),
    label: optional(text()),
    icon: optional(Type.String({ maxLength: LIMITS.svgCharactersMax })),
    disabled: optional(Type.Boolean()),
    hidden: optional(Type.Boolean()),
    metadata: optional(JsonValue('Any value.')),
  },
  { description: 'A button of the front end; stored and returned, never interpreted.', ...CLOSED },
)

export const CommentActions = Type.Array(CommentAction, { maxItems: LIMITS.actionsMax })

/** The position of a thread on its page, in pixels. */
export const pinFields = {
  isPageAnnotation: optional(Type.Boolean()),
  positionX: optional(Pixels),
  positionY: optional(Pixels),
  screenWidth: optional(Pixels),
  screenHeight: optional(Pixels),
  screenScrollHeight: optional(Pixels),
  screenScrollTop: optional(Pixels),
}
