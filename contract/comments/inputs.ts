/** Threads and comments as callers send them. Calls that add and calls that change use the same fields. */
import Type from 'typebox'
import { ClosedObject, Milliseconds, nullable } from '../core/fields.ts'
import { UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { OwnUser } from '../users/own-user.ts'
import { UserRef } from '../users/user-refs.ts'
import { CommentAgent, ThreadSuggestion, ThreadVisibility } from './agents.ts'
import {
  CommentActions,
  CommentAttachment,
  CommentContext,
  CommentId,
  CommentProgress,
  MentionedUser,
  PageInfo,
  pinFields,
  TaggedUser,
  TargetElement,
  ThreadId,
  ThreadLocation,
  ThreadPriority,
  ThreadStatus,
} from './parts.ts'

const optional = Type.Optional

const CommentHtml = Type.String({
  description: 'Stored and returned as sent.',
  maxLength: LIMITS.commentHtmlCharactersMax,
})

/** The fields of a comment that can also be changed. */
export const commentContentFields = {
  commentText: optional(
    Type.String({ description: 'Mentions are `{{userId}}`.', maxLength: LIMITS.commentTextCharactersMax }),
  ),
  commentHtml: optional(CommentHtml),
  taggedUserContacts: optional(Type.Array(TaggedUser, { maxItems: LIMITS.mentionsMax })),
  attachments: optional(Type.Array(CommentAttachment, { maxItems: LIMITS.attachmentsMax })),
  context: optional(CommentContext),
  isCommentResolverUsed: optional(Type.Boolean({ description: 'True: the caller stores the text elsewhere.' })),
  isCommentTextAvailable: optional(Type.Boolean()),
  createdAt: optional(Milliseconds('Milliseconds; of a new comment that has none: now.')),
  lastUpdated: optional(Milliseconds('Milliseconds; of a new comment that has none: its `createdAt`.')),
  progress: optional(CommentProgress),
  actions: optional(CommentActions),
}

const commentFields = {
  commentId: optional(CommentId),
  from: OwnUser('The author.'),
  ...commentContentFields,
  agent: optional(CommentAgent),
  triggerNotification: optional(
    Type.Boolean({ description: 'True: notifies the people concerned. Not stored.', default: false }),
  ),
}

const mentioned = { taggedUserContacts: optional(Type.Array(MentionedUser, { maxItems: LIMITS.mentionsMax })) }

/** A further comment of a thread. */
export const CommentInput = ClosedObject({ ...commentFields, ...mentioned })
export type CommentInput = Type.Static<typeof CommentInput>

/** The changes of comments in a call: each field replaces the stored one; `null` clears those that can be absent. */
export const CommentChange = ClosedObject(
  {
    from: optional(UserRef),
    ...commentContentFields,
    ...mentioned,
    ...nullable({ commentHtml: CommentHtml, progress: CommentProgress, actions: CommentActions }),
  },
  { minProperties: 1 },
)
export type CommentChange = Type.Static<typeof CommentChange>

/** A comment of a new thread. */
export const FirstComment = ClosedObject({
  ...commentFields,
  triggerActivities: optional(
    Type.Boolean({ description: 'True: an activity is recorded. Not stored.', default: false }),
  ),
})
export type FirstComment = Type.Static<typeof FirstComment>

/** The fields of a thread that can also be changed. */
export const threadContentFields = {
  location: optional(ThreadLocation),
  targetElement: optional(TargetElement),
  status: optional(ThreadStatus),
  assignedTo: optional(UserRef),
  priority: optional(ThreadPriority),
  context: optional(CommentContext),
  visibility: optional(ThreadVisibility),
  suggestion: optional(ThreadSuggestion),
  actions: optional(CommentActions),
  createdAt: optional(Milliseconds('Milliseconds; of a new thread that has none: now.')),
  lastUpdated: optional(Milliseconds('Milliseconds; of a new thread that has none: its `createdAt`.')),
}

const Comments = Type.Array(FirstComment, { minItems: 1, maxItems: LIMITS.itemsPerCallMax })

export const ThreadInput = ClosedObject({
  annotationId: optional(ThreadId),
  commentData: optional({
    ...Comments,
    description: 'The comments, the first of which is the root; required, here or as `comments`.',
  }),
  comments: optional({ ...Comments, description: 'Another name of `commentData`.' }),
  ...threadContentFields,
  type: optional(Type.Enum(['comment', 'suggestion'], { default: 'comment' })),
  commentType: optional(Type.Enum(['manual', 'chart', 'suggestion'])),
  pageInfo: optional(PageInfo),
  ...pinFields,
})
export type ThreadInput = Type.Static<typeof ThreadInput>

const userOrNull = (description: string) => optional(Type.Union([UserId, Type.Null()], { description }))

/**
 * The changes of threads in a call: each field replaces the stored one. `null` clears a field, but not what a thread
 * always has, nor the context, which can say who sees the thread.
 */
export const ThreadChange = ClosedObject({
  from: optional(UserRef),
  ...threadContentFields,
  ...nullable({
    location: ThreadLocation,
    targetElement: TargetElement,
    assignedTo: UserRef,
    priority: ThreadPriority,
    actions: CommentActions,
  }),
  statusUpdatedByUserId: userOrNull('Who set the status; `null` clears it.'),
  resolvedByUserId: userOrNull('Who closed the thread; `null`, or a status that is not terminal, clears it.'),
})
export type ThreadChange = Type.Static<typeof ThreadChange>
