/** A dialog that shows a result until its reader closes it. It does not close by accident. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

interface DoneDialogProps {
  title: string
  /** Its content cannot be shown again, so Escape does not close it. */
  once?: boolean
  children: ReactNode
  onClose: () => void
}

export function DoneDialog({ title, once = false, children, onClose }: DoneDialogProps) {
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} closeOnEscape={!once} title={title}>
      <Stack gap="md">
        {children}
        <Group justify="end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
