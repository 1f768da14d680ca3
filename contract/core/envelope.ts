/** The response of every operation: `{ result }` or `{ error }`, and the result of one item of a batch (rules/contract.md#envelope). */
import Type from 'typebox'
import { ClosedObject } from './fields.ts'
import { STATUS, type Status } from './status.ts'

export const ItemCode = Type.Enum(
  ['already-exists', 'not-found', 'invalid-argument', 'failed-precondition', 'permission-denied'],
  {
    description: 'Why the item failed.',
  },
)

/** The result of one item of a batch, under the caller's id of the item. */
export const ItemResult = ClosedObject({
  success: Type.Boolean(),
  id: Type.Optional(Type.String({ description: 'The id that the service assigned, or the id of a failed item.' })),
  message: Type.String(),
  code: Type.Optional(ItemCode),
  retryable: Type.Optional(
    Type.Boolean({ description: 'Present on failures: whether the same item may succeed later.' }),
  ),
  migratedTo: Type.Optional(Type.String({ description: 'The new id of the document, which was migrated.' })),
  permissions: Type.Optional(
    Type.Integer({
      description:
        'Present for a folder or document that was never added, but that grants or invitations have named: how many grants are on it, or were deleted with it.',
    }),
  ),
})
export type ItemResult = Type.Static<typeof ItemResult>

export const BatchResult = Type.Record(Type.String(), ItemResult, {
  description: 'One result for each id of the call, under that id.',
})
export type BatchResult = Type.Static<typeof BatchResult>

/** The same, and each result repeats the values that were set. */
export const batchResultWith = <Fields extends Type.TProperties>(fields: Fields) =>
  Type.Record(Type.String(), ClosedObject({ ...ItemResult.properties, ...fields }), {
    description: 'One result for each id of the call, under that id.',
  })

/** The result of a call that writes all or nothing, and says it in `data` too. */
export const WriteResult = Type.Object({ success: Type.Literal(true), message: Type.String() })

export const ErrorEnvelope = Type.Object({
  error: Type.Object({
    message: Type.String({
      description: 'A sentence for people: what was wrong, with the field, and what to do next.',
    }),
    status: Type.Enum(Object.keys(STATUS) as Status[]),
    reason: Type.String({ description: 'A stable lower-case code for programs.' }),
    details: Type.Optional(
      Type.Unknown({
        description:
          'For INVALID_ARGUMENT every fault, as `[{ field, message }]`; for other reasons what their description says.',
      }),
    ),
    requestId: Type.String({
      description: 'The id of the request, as in the `x-request-id` header and the log of the server.',
    }),
  }),
})
export type ErrorEnvelope = Type.Static<typeof ErrorEnvelope>

/** The result of a failed item of a batch. */
export const failed = (id: string, code: NonNullable<ItemResult['code']>, message: string): ItemResult => ({
  success: false,
  id,
  message,
  code,
  retryable: false,
})
