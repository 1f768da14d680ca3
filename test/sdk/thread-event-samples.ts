/** Sample events of threads and comments, each with its sentence, for event-sentences.test.ts. */
import type { Event } from '#sdk/generated/operations.ts'

export type Sample = Partial<Omit<Event, 'type'>>
export const document: Sample = { organizationId: 'acme', resource: { type: 'document', id: 'budget' } }

/** The actor of a call with a user token. */
const byUser: Sample = { ...document, userId: 'ada', actor: { apiKey: 'chk_1', userToken: true } }

export const THREAD_SAMPLES = {
  'thread.added': [
    [
      { ...document, userId: 'ada', after: { annotationId: 't', commentId: 1, statusId: 'OPEN' } },
      'Kim Larsen added a thread by Ada Byron to Budget 2026',
    ],
    [byUser, 'Ada Byron, with a user token, added a thread to Budget 2026'],
  ],
  'thread.updated': [
    [
      { ...document, after: { annotationId: 't', fields: ['status', 'priority'] } },
      'Kim Larsen changed a thread on Budget 2026: status, priority',
    ],
    [
      { ...byUser, after: { fields: ['status'] } },
      'Ada Byron, with a user token, changed a thread on Budget 2026: status',
    ],
  ],
  'thread.status_changed': [
    [
      {
        ...document,
        before: { annotationId: 't', statusId: 'OPEN' },
        after: { annotationId: 't', statusId: 'D', statusName: 'DONE' },
      },
      'Kim Larsen changed the status of a thread on Budget 2026 from OPEN to DONE',
    ],
  ],
  'thread.assigned': [
    [{ ...document, after: { annotationId: 't', assigned: true } }, 'Kim Larsen assigned a thread on Budget 2026'],
    [
      { ...document, after: { annotationId: 't', assigned: false } },
      'Kim Larsen removed the assignee of a thread on Budget 2026',
    ],
  ],
  'thread.priority_changed': [
    [
      { ...document, before: { annotationId: 't', priorityId: null }, after: { annotationId: 't', priorityId: 'P1' } },
      'Kim Larsen changed the priority of a thread on Budget 2026 from none to P1',
    ],
  ],
  'thread.visibility_changed': [
    [
      {
        ...document,
        before: { annotationId: 't', visibility: 'public' },
        after: { annotationId: 't', visibility: 'restricted' },
      },
      'Kim Larsen changed who sees a thread on Budget 2026 from public to restricted',
    ],
  ],
  'thread.suggestion_accepted': [
    [{ ...document, after: { annotationId: 't' } }, 'Kim Larsen accepted the suggestion of a thread on Budget 2026'],
  ],
  'thread.suggestion_rejected': [
    [{ ...document, after: { annotationId: 't' } }, 'Kim Larsen rejected the suggestion of a thread on Budget 2026'],
  ],
  'thread.subscribed': [
    [
      { ...document, userId: 'ada', after: { annotationId: 't' } },
      'Kim Larsen let Ada Byron follow a thread on Budget 2026',
    ],
    [byUser, 'Ada Byron, with a user token, followed a thread on Budget 2026'],
  ],
  'thread.unsubscribed': [
    [
      { ...document, userId: 'ada', after: { annotationId: 't' } },
      'Kim Larsen muted a thread on Budget 2026 for Ada Byron',
    ],
    [byUser, 'Ada Byron, with a user token, muted a thread on Budget 2026'],
  ],
  'thread.deleted': [
    [
      { ...document, before: { annotationId: 't', comments: 3 } },
      'Kim Larsen deleted a thread on Budget 2026, with 3 comments',
    ],
  ],
  'comment.added': [
    [
      { ...document, userId: 'ada', after: { annotationId: 't', commentId: 2 } },
      'Kim Larsen added a comment by Ada Byron on Budget 2026',
    ],
    [byUser, 'Ada Byron, with a user token, added a comment on Budget 2026'],
  ],
  'comment.updated': [
    [
      { ...document, userId: 'ada', after: { annotationId: 't', commentId: 2, fields: ['commentText'] } },
      'Kim Larsen changed a comment by Ada Byron on Budget 2026',
    ],
  ],
  'comment.deleted': [
    [{ ...document, before: { annotationId: 't', commentId: 2 } }, 'Kim Larsen deleted a comment on Budget 2026'],
    [{ ...byUser, userId: 'nobody' }, 'User nobody, with a user token, deleted a comment on Budget 2026'],
  ],
} as const satisfies Record<string, readonly (readonly [sample: Sample, sentence: string])[]>

const GIVEN: Sample = { ...document, userId: 'bob', after: { accessRole: 'viewer', expiresAt: null } }

/** The user who shares a document is not the user whom the event is about. */
export const SHARING_SAMPLES: readonly (readonly [sample: Sample, sentence: string])[] = [
  [
    { ...GIVEN, actor: { apiKey: 'chk_1', userToken: true, userId: 'ada' } },
    'Ada Byron, with a user token, gave bob@example.com viewer on Budget 2026',
  ],
  [
    { ...GIVEN, actor: { apiKey: 'chk_1', token: 'main', userId: 'ada' } },
    'The token main, for Ada Byron, gave bob@example.com viewer on Budget 2026',
  ],
]
