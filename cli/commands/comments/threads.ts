/** Commands for threads of comments. */
import { addComments } from '#contract/comments/comments.ts'
import { addThreads, deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import type { CommentRecord, ThreadRecord } from '#sdk/generated/operations.ts'
import { withNames } from '#sdk/shared/comment-text.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { items, lines, table } from '../../terminal/output.ts'
import { column, milliseconds, written } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'
import { shown } from '../../times.ts'
import { ORG } from '../parameters.ts'
import { DOCUMENT, mentions, notify, OF_DOCUMENT, THREAD_FILTERS, THREADS } from './parameters.ts'

const textOf = (comment: CommentRecord): string => withNames(comment.commentText, comment)

const NO_TEXT = '(No text: --json shows the HTML or the attachments.)'

/** Returns a comment as people read it. */
function commentLines(comment: CommentRecord): string[] {
  const { commentId, from, createdAt, status } = comment
  const edited = status === 'updated' ? ', changed' : ''
  return [
    `${plain(from.name ?? from.userId)}  ${shown(createdAt)}${edited}  #${commentId}`,
    ...(textOf(comment) || NO_TEXT).split('\n').map((line) => `  ${plain(line)}`),
  ]
}

function threadLines([thread]: (ThreadRecord | null)[]): string[] {
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

const STATUS_COLOURS = { lightColor: '#E6F4EA', svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' }
export const RESOLVED = { id: 'RESOLVED', name: 'Resolved', type: 'terminal', color: '#1E8E3E', ...STATUS_COLOURS }
const OPEN = { id: 'OPEN', name: 'Open', type: 'default', color: '#625DF5', ...STATUS_COLOURS, lightColor: '#E7E8FA' }

const NEW = 'commentAnnotations[0].commentData[0]'
const REPLY = 'commentData[0]'

export const THREAD_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'threads list',
    operation: getThreads,
    summary: 'List threads, the last changed first',
    parameters: THREAD_FILTERS,
    limit: 50,
    show: table([
      column('THREAD', 'annotationId'),
      column('DOCUMENT', 'metadata.documentId'),
      column('STATUS', 'status.name'),
      column('AUTHOR', 'from.userId'),
      column('COMMENTS', 'comments', (value) => (Array.isArray(value) ? written(value.length) : '')),
      column('UPDATED', 'lastUpdated', milliseconds),
      column('TEXT', 'comments.0', (root) => written(textOf(root as CommentRecord))),
    ]),
    examples: ['commonhold threads list --org acme --doc roadmap --status OPEN'],
  },
  {
    name: 'threads show',
    operation: getThreads,
    summary: 'Show a thread with its comments',
    parameters: [{ flags: '<thread>', at: 'annotationIds[0]' }, ORG, OF_DOCUMENT],
    show: lines(threadLines),
    isNegative: ([thread]: (ThreadRecord | null)[]) => thread === null,
    examples: ['commonhold threads show pricing --org acme'],
  },
  {
    name: 'threads add',
    operation: addThreads,
    summary: 'Add a thread with its first comment',
    parameters: [
      { flags: '<user>', at: `${NEW}.from.userId`, help: 'The author.' },
      { flags: '<text>', at: `${NEW}.commentText` },
      ORG,
      DOCUMENT,
      { flags: '--location <location>', at: 'commentAnnotations[0].location.id', help: 'A part of the document.' },
      { flags: '--id <thread>', at: 'commentAnnotations[0].annotationId' },
      mentions(NEW),
      notify(NEW),
    ],
    show: items,
    examples: ['commonhold threads add ada "Is this right, {{bob}}?" --org acme --doc roadmap --mention bob --notify'],
  },
  {
    name: 'threads reply',
    operation: addComments,
    summary: 'Add a comment to a thread',
    parameters: [
      { flags: '<thread>', at: 'annotationId' },
      { flags: '<user>', at: `${REPLY}.from.userId`, help: 'The author.' },
      { flags: '<text>', at: `${REPLY}.commentText` },
      ORG,
      DOCUMENT,
      mentions(REPLY),
      notify(REPLY),
    ],
    show: lines((ids: number[]) => ids.map((id) => `Added comment #${id}.`)),
    examples: ['commonhold threads reply pricing bob "Yes, since May." --org acme --doc roadmap'],
  },
  {
    name: 'threads resolve',
    operation: updateThreads,
    summary: 'Resolve threads',
    parameters: [
      THREADS,
      ORG,
      DOCUMENT,
      { flags: '--by <user>', at: 'updatedData.resolvedByUserId', help: 'Who resolves them.' },
    ],
    fixed: { 'updatedData.status': RESOLVED },
    implied: ({ updatedData }) => withWhoSetStatus(updatedData),
    show: items,
    examples: ['commonhold threads resolve pricing --by ada --org acme --doc roadmap'],
  },
  {
    name: 'threads reopen',
    operation: updateThreads,
    summary: 'Open threads again',
    parameters: [
      THREADS,
      ORG,
      DOCUMENT,
      { flags: '--by <user>', at: 'updatedData.statusUpdatedByUserId', help: 'Who opens them.' },
    ],
    fixed: { 'updatedData.status': OPEN },
    show: items,
    examples: ['commonhold threads reopen pricing --by ada --org acme --doc roadmap'],
  },
  {
    name: 'threads delete',
    operation: deleteThreads,
    summary: 'Delete threads with their comments',
    parameters: [THREADS, ORG, DOCUMENT],
    confirm: ({ annotationIds }: { annotationIds: string[] }) =>
      `Delete ${annotationIds.join(', ')} with all comments?`,
    show: items,
    examples: ['commonhold threads delete pricing --org acme --doc roadmap'],
  },
]

const withWhoSetStatus = (updatedData: unknown) => {
  const { resolvedByUserId } = updatedData as { resolvedByUserId?: string }
  return resolvedByUserId === undefined
    ? {}
    : { updatedData: { ...(updatedData as object), statusUpdatedByUserId: resolvedByUserId } }
}
