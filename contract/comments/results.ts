/** The results of calls that change or delete threads and comments. */
import Type from 'typebox'

export const ThreadResults = Type.Record(
  Type.String(),
  Type.Object({ success: Type.Boolean(), id: Type.String(), message: Type.String() }),
  { description: 'One result for each thread, under its id; an unknown id has `success: false`.' },
)
export type ThreadResults = Type.Static<typeof ThreadResults>

export const CommentResults = Type.Record(
  Type.String(),
  Type.Object({ success: Type.Boolean(), id: Type.Integer(), message: Type.String() }),
  { description: 'One result for each comment, under its number; an unknown one has `success: false`.' },
)
export type CommentResults = Type.Static<typeof CommentResults>
