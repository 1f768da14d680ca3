/** The dialog that deletes folders and documents, with a count of everything that is deleted. */
import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Note } from '../../../components/feedback/note.tsx'
import { ConfirmByName } from '../../../components/forms/confirm-by-name.tsx'
import { folderContentsQuery } from '../../../queries/resources/folders.ts'
import { deleteResources } from '../../../queries/resources/resources.ts'
import { useKey } from '../../../session/use-session.ts'
import { counted, describeResources, idsOf, neededFor, type Resource, shownName } from '../resource.ts'

interface DeleteDialogProps {
  organizationId: string
  resources: readonly Resource[]
  onDeleted: () => void
  onClose: () => void
}

export function DeleteDialog({ organizationId, resources, onDeleted, onClose }: DeleteDialogProps) {
  const remove = useMutation({
    ...deleteResources(useKey()),
    onSuccess: (deleted) => {
      const isGone = deleted.folders + deleted.documents === 0
      const message = isGone
        ? `${describeResources(resources)} had already been deleted.`
        : `${counted(deleted.folders, deleted.documents)} deleted.`
      notifications.show({ message, role: 'status' })
      onDeleted()
      onClose()
    },
  })
  const [first] = resources
  const one = resources.length === 1 && first !== undefined ? first : undefined
  return (
    <ConfirmByName
      needs={neededFor(resources).delete}
      title={one === undefined ? `Delete ${describeResources(resources)}` : `Delete ${one.type}`}
      name={one === undefined ? String(resources.length) : shownName(one)}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(idsOf(organizationId, resources))}
      onClose={onClose}
    >
      <DeletionSummary organizationId={organizationId} resources={resources} />
    </ConfirmByName>
  )
}

function DeletionSummary({ organizationId, resources }: Pick<DeleteDialogProps, 'organizationId' | 'resources'>) {
  const { folderIds, documentIds } = idsOf(organizationId, resources)
  const { data, isFetching } = useQuery({
    ...folderContentsQuery(useKey(), organizationId, folderIds),
    enabled: folderIds.length > 0,
  })
  if (isFetching)
    return (
      <Text size="sm" role="status">
        Counting the contents…
      </Text>
    )
  // When the contents cannot be counted, such as in a tree of more than 10,000 folders, only the selection is known.
  const known = data ?? { folders: folderIds.length, documents: 0, atLeast: folderIds.length > 0 }
  const { folders, documents, atLeast } = known
  const all = documents + documentIds.length
  return (
    <div role="status">
      <Note
        tone="danger"
        Icon={IconTrash}
        title={`${atLeast ? 'At least ' : ''}${counted(folders, all)} will be deleted, with all grants on ${folders + all === 1 ? 'it' : 'them'}.`}
      >
        {atLeast && 'There is more than could be counted.'} This cannot be undone.
      </Note>
    </div>
  )
}
