/** `commentannotations/subscriptions/set`: who follows a thread or a document, and who has muted it (rules/comments.md#following). */
import Type from 'typebox'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, Items, OrganizationId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'
import { OF_USER_TOKENS, OwnUserId } from '../users/own-user.ts'
import { ThreadId } from './parts.ts'

export const Subscription = Type.Enum(['subscribed', 'unsubscribed'], {
  description:
    '`subscribed`: replies involve the user. `unsubscribed`: the user is no longer notified, even when mentioned.',
})

export const setSubscriptions = operation({
  name: 'thread-subscriptions.set',
  path: '/v2/commentannotations/subscriptions/set',
  credentials: 'apiKey',
  scope: 'write',
  userToken: true,
  summary: 'Follow or mute threads or documents for a user',
  description:
    'Sets whether a user follows threads of a document, which overrides what comments have set and also applies to notifications that are already in the inbox. Without `annotationIds` it sets the levels of the document: `unsubscribed` sets all channels to `NONE`, `subscribed` sets the inbox to `ALL` and the others to the levels of the organization.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      documentId: DocumentId,
      userId: OwnUserId('The user who follows them, or not.'),
      annotationIds: Type.Optional(
        Items(ThreadId, 'The threads. Absent: the whole document; its id is then the id of the result.'),
      ),
      subscription: Subscription,
    },
    { narrowing: ['annotationIds'] },
  ),
  result: BatchResult,
  success: 'Subscriptions set successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', ...OF_USER_TOKENS],
  example: {
    organizationId: 'acme',
    documentId: 'roadmap',
    userId: 'ada',
    annotationIds: ['pricing'],
    subscription: 'unsubscribed',
  },
})

export const SUBSCRIPTION_OPERATIONS = [setSubscriptions]
