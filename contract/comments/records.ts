/** Threads and comments as reads return them. */
import Type from 'typebox'
import { UserRef } from '../users/user-refs.ts'
import { ThreadSuggestion, ThreadVisibility } from './agents.ts'
import {
  CommentAction,
  CommentAttachment,
  CommentProgress,
  PageInfo,
  TaggedUser,
  TargetElement,
  ThreadLocation,
  ThreadPriority,
  ThreadStatus,
} from './parts.ts'

const optional = Type.Optional
const Milliseconds = Type.Integer({ description: 'Milliseconds.' })
const Anything = Type.Object({}, { additionalProperties: true })
const None = (description: string) => Type.Array(Anything, { description })
/** The agent of a thread or comment. */
export const CommentAgentRecord = Type.Object(
  { agentSource: Type.String(), agentId: Type.String(), agentType: Type.Literal('external') },
  { description: 'The agent as the call sent it, with `agentType`.', additionalProperties: true },
)

export const CommentRecord = Type.Object({
  commentId: Type.Integer(),
  type: Type.Literal('text'),
  status: Type.Enum(['added', 'updated']),
  isDraft: Type.Literal(false),
  isCommentTextAvailable: optional(Type.Boolean()),
  commentText: Type.String({ description: 'Empty when the comment has none.' }),
  commentHtml: optional(
    Type.String({ description: 'The HTML as the call sent it: clean it before a browser shows it.' }),
  ),
  createdAt: Milliseconds,
  lastUpdated: Type.String({ description: 'ISO 8601.' }),
  from: UserRef,
  to: Type.Array(UserRef, { description: 'The mentioned people.' }),
  taggedUserContacts: Type.Array(TaggedUser),
  attachments: Type.Array(CommentAttachment),
  context: optional(Anything),
  progress: optional(CommentProgress),
  actions: optional(Type.Array(CommentAction)),
  sourceType: optional(Type.Literal('agent')),
  agent: optional(CommentAgentRecord),
  reactionAnnotationIds: Type.Array(Type.String(), { description: 'Always empty.' }),
  recorders: None('Always empty.'),
  toOrganizationUserGroup: None('Always empty.'),
  customList: None('Always empty.'),
})
export type CommentRecord = Type.Static<typeof CommentRecord>

/** Somebody who follows a thread or has muted it; `auto` means that the thread names them. */
export const ThreadSubscriber = Type.Object({ user: UserRef, type: Type.Enum(['auto', 'manual']) })

const Subscriptions = (description: string) => Type.Record(Type.String(), ThreadSubscriber, { description })

export const ThreadRecord = Type.Object({
  annotationId: Type.String(),
  type: Type.Enum(['comment', 'suggestion']),
  createdAt: Milliseconds,
  lastUpdated: Milliseconds,
  sourceType: Type.Enum(['rest-api', 'agent']),
  location: optional(ThreadLocation),
  locationId: optional(Type.Integer({ description: 'A number made of `location.id`.' })),
  targetElement: optional(TargetElement),
  context: optional(
    Type.Object(
      {
        access: optional(Type.Object({}, { additionalProperties: true })),
        accessFields: Type.Array(Type.String(), {
          description: 'The context and the visibility that a reader needs, as `field:value`.',
        }),
      },
      { additionalProperties: true },
    ),
  ),
  visibilityConfig: ThreadVisibility,
  metadata: Type.Object({
    apiKey: Type.String(),
    organizationId: Type.String(),
    documentId: Type.String(),
    folderId: optional(Type.String({ description: 'Absent at the top, and with a user token.' })),
  }),
  pageInfo: optional(PageInfo),
  isPageAnnotation: optional(Type.Boolean()),
  positionX: optional(Type.Number()),
  positionY: optional(Type.Number()),
  screenWidth: optional(Type.Number()),
  screenHeight: optional(Type.Number()),
  screenScrollHeight: optional(Type.Number()),
  screenScrollTop: optional(Type.Number()),
  from: { ...UserRef, description: 'The author: `from` of the root.' },
  assignedTo: optional(UserRef),
  priority: optional(ThreadPriority),
  status: ThreadStatus,
  statusUpdatedByUserId: optional(Type.String()),
  resolvedByUserId: optional(Type.String()),
  resolvedByUser: optional(UserRef),
  subscribedUsers: Subscriptions('By the MD5 of the user id in lower-case hex.'),
  unsubscribedUsers: Subscriptions('The same.'),
  subscribedGroups: Type.Object({}, { description: 'Always empty.' }),
  customList: None('Always empty.'),
  comments: Type.Array(CommentRecord, { description: 'The comments, in the order in which they were written.' }),
  involvedUserIds: Type.Array(Type.String(), { description: 'Authors, mentioned users and the assignee.' }),
  mentionedUserIds: Type.Array(Type.String()),
  agent: optional(CommentAgentRecord),
  suggestion: optional(ThreadSuggestion),
  actions: optional(Type.Array(CommentAction)),
  commentType: optional(Type.Enum(['manual', 'chart', 'suggestion'])),
})
export type ThreadRecord = Type.Static<typeof ThreadRecord>
