/** A thread with its comments, as people read it in a terminal. */
import type { CommentRecord, ThreadRecord } from '#sdk/generated/operations.ts'
import { plain } from '../../terminal/terminal.ts'
import { shown } from '../../times.ts'

/** Returns a comment as people read it; mentions have the names that stand for them. */
function commentLines({ commentId, commentText, from, createdAt, status, to }: CommentRecord): string[] {
  const names = new Map(to.map(({ userId, name }) => [userId, `@${name ?? userId}`]))
  const text = commentText.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, userId: string) => names.get(userId) ?? whole)
  const edited = status === 'updated' ? ', changed' : ''
  return [
    `${plain(from.name ?? from.userId)}  ${shown(createdAt)}${edited}  #${commentId}`,
    ...text.split('\n').map((line) => `  ${plain(line)}`),
  ]
}

export function threadLines([thread]: (ThreadRecord | null)[]): string[] {
  if (thread === null || thread === undefined)
    return ['There is no such thread. commonhold threads list --org ORGANIZATION shows all.']
  const { annotationId, status, metadata, assignedTo, priority, visibilityConfig, comments } = thread
  const facts = [
    `${plain(annotationId)} on ${plain(metadata.documentId)}: ${plain(status.name)}`,
    ...(priority === undefined ? [] : [`priority ${plain(priority.name)}`]),
    ...(assignedTo === undefined ? [] : [`assigned to ${plain(assignedTo.name ?? assignedTo.userId)}`]),
    ...(visibilityConfig.type === 'public' ? [] : [visibilityConfig.type]),
  ]
  return [facts.join(', '), ...comments.flatMap((comment) => ['', ...commentLines(comment)])]
}
