/** The comments of a thread as text: what people wrote is never markup here. */
import { Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CommentRecord, ThreadRecord } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { Section } from '../../components/page/section.tsx'
import { UserLink } from '../../components/people/user-link.tsx'
import { PermittedIconButton } from '../../components/permitted/permitted-button.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { authorAndText, deleteComment, nameOfThread, textOf } from '../../queries/resources/threads.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import classes from './thread-comments.module.css'

/** A browser shows no more at once; the newest are the ones that a moderator is asked about. */
const SHOWN_MAX = 500

export function ThreadComments({ thread }: { thread: ThreadRecord }) {
  const [deleted, setDeleted] = useState<CommentRecord>()
  const { comments } = thread
  const hidden = Math.max(comments.length - SHOWN_MAX, 0)
  return (
    <Section
      title="Comments"
      {...(hidden > 0 && { intro: `The last ${SHOWN_MAX} of ${comments.length.toLocaleString('en')} comments.` })}
    >
      <Stack gap="md" component="ol" className={classes.list} aria-label="Comments">
        {comments.slice(hidden).map((comment) => (
          <li key={comment.commentId} className={classes.comment}>
            <Group justify="space-between" wrap="nowrap" align="start" gap="xs">
              <Group gap="xs" miw={0} fz="sm">
                <UserLink userId={comment.from.userId} name={comment.from.name} />
                <Text span size="xs" c="dimmed">
                  <Timestamp at={comment.createdAt} />
                  {comment.status === 'updated' && ', changed'}
                </Text>
              </Group>
              {comments.length > 1 && (
                <PermittedIconButton
                  needs="comments.delete"
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the comment of ${authorAndText(comment)}`}
                  onClick={() => setDeleted(comment)}
                >
                  <IconTrash size={16} aria-hidden />
                </PermittedIconButton>
              )}
            </Group>
            <Text size="sm" className={classes.text} dir="auto">
              {textOf(comment)}
            </Text>
            {comment.attachments.length > 0 && (
              <Text size="xs" c="dimmed">
                Attachments:{' '}
                <bdi>{comment.attachments.map(({ name, attachmentId }) => name ?? attachmentId).join(', ')}</bdi>
              </Text>
            )}
          </li>
        ))}
      </Stack>
      {deleted !== undefined && (
        <DeleteComment thread={thread} comment={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </Section>
  )
}

function DeleteComment(props: { thread: ThreadRecord; comment: CommentRecord; onClose: () => void }) {
  const { thread, comment, onClose } = props
  const remove = useMutation({
    ...deleteComment(useKey(), nameOfThread(thread)),
    onSuccess: () => {
      notifications.show({ message: 'The comment was deleted.', role: 'status' })
      onClose()
    },
  })
  return (
    <Confirmation
      needs="comments.delete"
      title="Delete the comment"
      action="Delete comment"
      danger
      error={remove.error}
      busy={remove.isPending}
      onConfirm={() => remove.mutate(comment.commentId)}
      onClose={onClose}
    >
      The comment of <bdi>{shownName(comment.from.name, comment.from.userId)}</bdi> leaves the thread and every inbox.
      It cannot be restored.
    </Confirmation>
  )
}
