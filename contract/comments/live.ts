/** `live`: the stream of what changes in threads and in the inbox, as server-sent events (rules/comments.md#live). It is no operation: its response has no envelope. */
import Type from 'typebox'
import { DocumentId, OrganizationId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'

export const LIVE_PATH = '/v2/live'

/** The `data` of the request. */
export const LiveRequest = Type.Object(
  {
    organizationId: OrganizationId,
    documentIds: Type.Optional(
      Type.Array(DocumentId, {
        description: 'The documents whose threads the page shows.',
        maxItems: LIMITS.filteredIdsMax,
      }),
    ),
    inbox: Type.Optional(Type.Boolean({ description: 'True: also new notifications of the user.', default: false })),
  },
  { additionalProperties: false },
)
export type LiveRequest = Type.Static<typeof LiveRequest>
