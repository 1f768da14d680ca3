/** Confirms that a thread is deleted. */
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { plural } from '../../plural.ts'
import { deleteThread, nameOfThread } from '../../queries/resources/threads.ts'
import { useKey } from '../../session/use-session.ts'

interface DeleteThreadProps {
  thread: ThreadRecord
  onDeleted: () => void
  onClose: () => void
}

export function DeleteThread({ thread, onDeleted, onClose }: DeleteThreadProps) {
  const remove = useMutation({
    ...deleteThread(useKey(), nameOfThread(thread)),
    onSuccess: () => {
      notifications.show({ message: 'The thread was deleted.', role: 'status' })
      onDeleted()
    },
  })
  return (
    <Confirmation
      needs="threads.delete"
      title="Delete the thread"
      action={`Delete thread and ${plural(thread.comments.length, 'comment')}`}
      danger
      error={remove.error}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      The thread leaves the document and every inbox. It cannot be restored.
    </Confirmation>
  )
}
