/** Parameters of the commands for threads of comments. */
import type { Parameter } from '../../command-parameters.ts'
import type { Reader } from '../../values.ts'
import { ORG } from '../parameters.ts'

export const DOCUMENT: Parameter = { flags: '-d, --doc <document>', at: 'documentId' }
export const OF_DOCUMENT: Parameter = { ...DOCUMENT, help: 'Only threads on this document.' }
export const THREADS: Parameter = { flags: '<thread...>', at: 'annotationIds' }

/** Reads a user who is mentioned. */
export const mention: Reader = (userId) => ({ userId, contact: { userId }, text: `@${userId}` })
export const mentions = (comment: string): Parameter => ({
  flags: '--mention <user...>',
  at: `${comment}.taggedUserContacts`,
  help: 'Users whom the text mentions as {{user}}.',
  read: mention,
})
export const notify = (comment: string): Parameter => ({
  flags: '--notify',
  at: `${comment}.triggerNotification`,
  help: 'Notify the people who follow the thread and can open it.',
})

/** The options that select threads. */
export const THREAD_FILTERS: readonly Parameter[] = [
  ORG,
  OF_DOCUMENT,
  { flags: '--status <status...>', at: 'statusIds', help: 'Only threads with one of these statuses, such as OPEN.' },
  { flags: '--author <user...>', at: 'userIds', help: 'Only threads that one of these users started.' },
  { flags: '--assignee <user...>', at: 'assignedUserIds', help: 'Only threads assigned to one of these users.' },
  {
    flags: '--priority <priority...>',
    at: 'priorityIds',
    help: 'Only threads with one of these priorities, such as P1.',
  },
  { flags: '--text <text>', at: 'text', help: 'Only threads with a comment that contains this text.' },
  { flags: '--mentions <user...>', at: 'mentionedUserIds', help: 'Only threads that mention one of these users.' },
]
