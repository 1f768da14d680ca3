/**
 * `live`: the stream of changes in threads and in the inbox, as server-sent events (rules/comments.md#live). It is not
 * an operation: its response has no envelope.
 */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { ThreadId } from './parts.ts'
import { ThreadRecord } from './records.ts'

export const LIVE_PATH = '/v2/live'

/** The `data` of the request. */
export const LiveRequest = ClosedObject({
  organizationId: OrganizationId,
  documentIds: Type.Optional(
    Type.Array(DocumentId, {
      description: 'The documents whose threads the page shows.',
      maxItems: LIMITS.filteredIdsMax,
    }),
  ),
  inbox: Type.Optional(Type.Boolean({ description: 'True: also new notifications of the user.', default: false })),
})
export type LiveRequest = Type.Static<typeof LiveRequest>

export const LiveBody = ClosedObject({ data: LiveRequest })

export const LIVE_EXAMPLE = { organizationId: 'acme', documentIds: ['roadmap'], inbox: true }

const event = <Name extends string, Data extends Type.TSchema>(name: Name, data: Data, description: string) =>
  Type.Object({ event: Type.Literal(name), data }, { description })

/** An event of the stream: its `event`, and its `data` as JSON. */
export const LiveEvent = Type.Union([
  event(
    'ready',
    Type.Object({
      documents: Type.Record(Type.String(), Type.Boolean(), {
        description: 'Whether the user can open each document of the request, by its id.',
      }),
    }),
    'The stream has begun. Now the page loads what it shows.',
  ),
  event(
    'thread',
    Type.Object({
      organizationId: OrganizationId,
      documentId: DocumentId,
      annotationId: ThreadId,
      thread: Type.Optional(Type.Union([ThreadRecord, Type.Null()])),
    }),
    'A thread as the user sees it now; `thread` is null when it is gone, and absent when it is too large to be sent: then the page reads it.',
  ),
  event(
    'inbox',
    Type.Object({ organizationId: OrganizationId, notificationIds: Type.Array(Type.String()) }),
    'New notifications in the inbox of the user.',
  ),
  event(
    'document',
    Type.Object({ organizationId: OrganizationId, documentId: DocumentId, open: Type.Boolean() }),
    'The user can open a document now, or can no longer open it.',
  ),
  event('reset', Type.Object({}), 'There was too much to send. The page loads again what it shows.'),
  event(
    'end',
    Type.Object({ reason: Type.Enum(['signed_out', 'stopping']) }),
    'The stream ends: the credentials are no longer valid, or the server stops.',
  ),
])
export type LiveEvent = Type.Static<typeof LiveEvent>
