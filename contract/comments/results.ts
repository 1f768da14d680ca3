/** The results of calls that change or delete comments. Threads have those of any batch. */
import Type from 'typebox'
import { ItemResult } from '../core/envelope.ts'

const { success, message, code, retryable } = ItemResult.properties

export const CommentResults = Type.Record(
  Type.String(),
  Type.Object({ success, id: Type.Integer(), message, code, retryable }, { additionalProperties: false }),
  { description: 'One result for each comment, under its number.' },
)
export type CommentResults = Type.Static<typeof CommentResults>
