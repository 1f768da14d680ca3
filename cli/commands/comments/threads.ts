/** Commands for threads of comments, and for the inbox of a user. */
import type { Command } from 'commander'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads, deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import type { CommentRecord, ThreadRecord } from '#sdk/generated/operations.ts'
import { addCommand } from '../../command.ts'
import { pagesOf } from '../../connection/calls.ts'
import { toFile, toStream } from '../../moving/export/export-file.ts'
import { dataOf, declare, type OperationCommand, type Parameter } from '../../operation-command.ts'
import { io } from '../../terminal/io.ts'
import { items, lines, printJson, table } from '../../terminal/output.ts'
import { counted } from '../../terminal/progress.ts'
import { column, milliseconds, written } from '../../terminal/table.ts'
import { colouredNote, note, plain } from '../../terminal/terminal.ts'
import { inUtc } from '../../times.ts'
import type { Reader } from '../../values.ts'
import { ORG } from '../parameters.ts'

const DOCUMENT: Parameter = { flags: '-d, --doc <document>', at: 'documentId' }
const OF_DOCUMENT: Parameter = { ...DOCUMENT, help: 'Only threads on this document.' }
const THREADS: Parameter = { flags: '<thread...>', at: 'annotationIds' }

/** Reads a user who is mentioned. */
export const mention: Reader = (userId) => ({ userId, contact: { userId }, text: `@${userId}` })
const mentions = (comment: string): Parameter => ({
  flags: '--mention <user...>',
  at: `${comment}.taggedUserContacts`,
  help: 'Users whom the text mentions as {{user}}.',
  read: mention,
})
const notify = (comment: string): Parameter => ({
  flags: '--notify',
  at: `${comment}.triggerNotification`,
  help: 'Notify the people who follow the thread and can open it.',
})

const STATUS_COLOURS = { lightColor: '#E6F4EA', svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' }
const RESOLVED = { id: 'RESOLVED', name: 'Resolved', type: 'terminal', color: '#1E8E3E', ...STATUS_COLOURS }
const OPEN = { id: 'OPEN', name: 'Open', type: 'default', color: '#625DF5', ...STATUS_COLOURS, lightColor: '#E7E8FA' }

const FILTERS: readonly Parameter[] = [
  ORG,
  OF_DOCUMENT,
  { flags: '--status <status...>', at: 'statusIds', help: 'Only threads with one of these statuses, such as OPEN.' },
  { flags: '--author <user...>', at: 'userIds', help: 'Only threads that one of these users began.' },
  { flags: '--mentions <user...>', at: 'mentionedUserIds', help: 'Only threads that mention one of these users.' },
]

/** Returns a comment as people read it; mentions have the names that stand for them. */
function commentLines({ commentId, commentText, from, createdAt, status, to }: CommentRecord): string[] {
  const names = new Map(to.map(({ userId, name }) => [userId, `@${name ?? userId}`]))
  const text = commentText.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, userId: string) => names.get(userId) ?? whole)
  const edited = status === 'updated' ? ', changed' : ''
  return [
    `${plain(from.name ?? from.userId)}  ${inUtc(createdAt)}${edited}  #${commentId}`,
    ...text.split('\n').map((line) => `  ${plain(line)}`),
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

const NEW = 'commentAnnotations[0].commentData[0]'
const REPLY = 'commentData[0]'

export const THREAD_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'threads list',
    operation: getThreads,
    summary: 'List threads, the last changed first',
    parameters: FILTERS,
    limit: 50,
    show: table([
      column('THREAD', 'annotationId'),
      column('DOCUMENT', 'metadata.documentId'),
      column('STATUS', 'status.name'),
      column('AUTHOR', 'from.userId'),
      column('COMMENTS', 'comments', (value) => (Array.isArray(value) ? written(value.length) : '')),
      column('UPDATED', 'lastUpdated', milliseconds),
      column('TEXT', 'comments.0.commentText'),
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

export const INBOX_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'inbox',
    operation: getNotifications,
    summary: 'List the notifications of a user',
    parameters: [{ flags: '<user>', at: 'userId' }, ORG, { ...DOCUMENT, help: 'Only of this document.' }],
    limit: 50,
    show: table([
      column('TIME', 'timestamp', milliseconds),
      column('UNREAD', 'isUnread'),
      column('DOCUMENT', 'metadata.documentId'),
      column('THREAD', 'targetAnnotationId'),
      column('HEADLINE', 'displayHeadlineMessage'),
      column('TEXT', 'displayBodyMessage'),
      column('ID', 'id'),
    ]),
    examples: ['commonhold inbox ada --org acme'],
  },
]

/** `threads export`: all matching threads, one a line, as reads return them. */
export function addThreadsExport(program: Command): void {
  const command = addCommand(program, 'threads export', {
    summary: 'Write threads with their comments as newline-delimited JSON.',
    description:
      'Calls threads.get page by page and writes each thread as it is returned. To move threads to another API key, use commonhold export, which also has who follows them and has seen what. Without a file, or with -, it is written to standard output.',
    examples: ['commonhold threads export roadmap.ndjson --org acme --doc roadmap'],
    async run({ words: [file], options, connection }) {
      const isFile = typeof file === 'string' && file !== '-'
      const { write, end, abandon } = isFile ? toFile(file) : toStream(io().stdout)
      const data = dataOf({ operation: getThreads, parameters: FILTERS }, [], options)
      let threads = 0
      try {
        for await (const page of pagesOf(connection(), getThreads, { ...data, order: 'asc' }))
          for (const thread of page.data as ThreadRecord[]) {
            await write(`${JSON.stringify(thread)}\n`)
            threads++
          }
        await end()
      } catch (error) {
        await abandon()
        throw error
      }
      if (options.json === true && isFile) printJson({ threads })
      else note(`${colouredNote('green', '✓')} ${counted(threads)} threads.`)
    },
  }).argument('[file]', 'The file to write; - is standard output.')
  for (const parameter of FILTERS) declare(command, getThreads, parameter)
}
