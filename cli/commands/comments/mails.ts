/** `threads mails`: the state of mails about comments. */
import { getCommentMails } from '#contract/comments/mails.ts'
import type { GetCommentMailsResult } from '#sdk/generated/operations.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { type Remark, table } from '../../terminal/output.ts'
import { column, milliseconds } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'
import { shown } from '../../times.ts'
import { ORG } from '../parameters.ts'
import { DOCUMENT } from './parameters.ts'

const SERVICE = {
  on: [],
  off: ['The e-mail service of the API key is off: nothing is sent.'],
  no_server: ['The installation has no mail server: nothing is sent.'],
}

function delayedLine({ commentId, until, recipients }: GetCommentMailsResult['delayed'][number]): string {
  const who = recipients.map(({ userId, reason, thenUntil }) => {
    const then = reason ?? (thenUntil === undefined ? 'mail' : `daily mail at ${shown(thenUntil)}`)
    return `${plain(userId)} (${then})`
  })
  return `Comment #${commentId} waits until ${shown(until)}, then: ${who.join(', ') || 'nobody'}.`
}

/** The lines about the whole result: whether mails are sent, and comments whose recipients are not decided yet. */
function preface({ service, delayed }: GetCommentMailsResult): Remark | undefined {
  const sentences = [...SERVICE[service], ...delayed.map(delayedLine)]
  return sentences.length === 0 ? undefined : { sentence: sentences.join('\n'), json: { service, delayed } }
}

export const MAIL_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'threads mails',
    operation: getCommentMails,
    summary: 'Show which mails about a thread or to a user wait, were sent, or were not and why',
    parameters: [
      { flags: '[thread]', at: 'annotationId' },
      ORG,
      DOCUMENT,
      { flags: '--user <user>', at: 'userId', help: 'Only mails to this user; without a thread, about all threads.' },
    ],
    limit: 50,
    show: table(
      [
        column('DOCUMENT', 'documentId'),
        column('THREAD', 'annotationId'),
        column('COMMENT', 'commentId'),
        column('USER', 'userId'),
        column('STATE', 'state'),
        column('REASON', 'reason'),
        column('COLLECTS', 'collects'),
        column('UNTIL', 'until', milliseconds),
        column('AT', 'at', milliseconds),
      ],
      'mails',
      preface,
    ),
    examples: [
      'commonhold threads mails pricing --org acme --doc roadmap',
      'commonhold threads mails --user ada --org acme',
    ],
  },
]
