/** Another name for a folder or a document; without one it is known by its id. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Id } from '../../components/id.tsx'
import type { Resource } from './resource.ts'

interface RenameDialogProps {
  resource: Resource
  onRename: (name: string | null) => void
  onClose: () => void
}

export function RenameDialog({ resource, onRename, onClose }: RenameDialogProps) {
  const [name, setName] = useState(resource.name ?? '')
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (name !== (resource.name ?? '')) onRename(name === '' ? null : name)
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={`Rename the ${resource.type}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description={
              <>
                Its id stays: <Id copy={false}>{resource.id}</Id>
              </>
            }
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Rename</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
