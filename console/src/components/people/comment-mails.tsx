/** A table of the state of mails about comments: mails that wait and until when, sent mails, and users who get none and why. */
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AnchorLink } from '../../links/links.tsx'
import { useRows } from '../../queries/pages/use-rows.ts'
import {
  commentMailsQuery,
  type MailQuestion,
  type MailRow,
  mailServiceQuery,
} from '../../queries/resources/comment-mails.ts'
import { useKey } from '../../session/use-session.ts'
import { type Column, DataTable } from '../tables/data-table.tsx'
import { StateBadge } from '../values/state-badge.tsx'
import { Timestamp } from '../values/timestamp.tsx'

const SERVICE = {
  on: undefined,
  off: 'The e-mail service of this API key is off: no mail is sent.',
  no_server: 'The installation has no mail server: no mail is sent.',
}

const REASONS: Record<NonNullable<MailRow['reason']>, string> = {
  disabled: 'disabled',
  no_access: 'cannot open the document',
  not_visible: 'does not see the thread',
  unsubscribed: 'muted the thread',
  level: 'does not want such mails',
  seen: 'already seen',
  no_address: 'no e-mail address',
  too_many: 'too many comments',
}

const COLLECTS: Record<NonNullable<MailRow['collects']>, string> = {
  comment: 'mail',
  document: 'mail about the document',
  organization: 'mail about the organization',
  day: 'daily mail',
}

function State({ row }: { row: MailRow }) {
  const { state, reason, collects = 'comment' } = row
  if (state === 'sent') return <Words state="good" word="sent" at={row.at} />
  if (state === 'failed') return <Words state="bad" word="could not be sent" at={row.at} />
  if (state === 'left_out') return <Words state="off" word={`none: ${REASONS[reason ?? 'level']}`} at={row.at} />
  if (state === 'waiting') return <Words state="wait" word={`${COLLECTS[collects]} waiting until`} at={row.until} />
  if (reason !== undefined) return <Words state="off" word={`as of now none: ${REASONS[reason]}`} />
  return (
    <>
      <Words state="wait" word="waiting until" at={row.until} />
      {row.userId !== undefined && `, then ${COLLECTS[collects]}`}
      {row.thenUntil !== undefined && (
        <>
          {' at '}
          <Timestamp at={row.thenUntil} date />
        </>
      )}
    </>
  )
}

/** A word on a badge, and when. */
function Words({ state, word, at }: { state: 'good' | 'bad' | 'wait' | 'off'; word: string; at?: number | undefined }) {
  return (
    <>
      <StateBadge state={state}>{word}</StateBadge>
      {at !== undefined && (
        <>
          {' '}
          <Timestamp at={at} date />
        </>
      )}
    </>
  )
}

const columnsOf = (apiKey: string, question: MailQuestion): Column<MailRow>[] => [
  {
    key: 'comment',
    header: 'Comment',
    width: question.annotationId === undefined ? '34%' : 110,
    cell: ({ documentId, annotationId, commentId }) =>
      question.annotationId === undefined ? (
        <AnchorLink
          size="sm"
          to="/keys/$apiKey/threads/thread"
          params={{ apiKey }}
          search={{ organizationId: question.organizationId, documentId, annotationId }}
        >
          <bdi>{documentId}</bdi> {commentId}
        </AnchorLink>
      ) : (
        commentId
      ),
  },
  ...(question.userId === undefined
    ? [
        {
          key: 'user',
          header: 'Person',
          width: '30%',
          cell: ({ userId }: MailRow) =>
            userId === undefined ? (
              'nobody yet'
            ) : (
              <AnchorLink
                size="sm"
                to="/keys/$apiKey/users/user"
                params={{ apiKey }}
                search={{ userId, organizationId: question.organizationId }}
              >
                <bdi>{userId}</bdi>
              </AnchorLink>
            ),
        },
      ]
    : []),
  { key: 'state', header: 'Mail', cell: (row) => <State row={row} /> },
]

/** `question`: a thread, or a user. */
export function CommentMails({ question }: { question: MailQuestion }) {
  const key = useKey()
  const rows = useRows(commentMailsQuery(key, question))
  const { data: service = 'on' } = useQuery(mailServiceQuery(key, question))
  return (
    <Stack gap="xs">
      {SERVICE[service] !== undefined && <Text size="sm">{SERVICE[service]}</Text>}
      <DataTable
        label="Mails"
        rows={rows}
        columns={columnsOf(key.id, question)}
        idOf={({ documentId, annotationId, commentId, userId = '' }) =>
          `${documentId} ${annotationId} ${commentId} ${userId}`
        }
        height="20rem"
        empty={
          <Text size="sm" c="dimmed">
            No mails in the last 30 days.
          </Text>
        }
      />
    </Stack>
  )
}
