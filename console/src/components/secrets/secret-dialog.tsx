/** A dialog that shows a new secret once. It does not close by accident. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopySecret } from './copy-secret.tsx'

interface SecretDialogProps {
  title: string
  /** The name of the secret. */
  label: string
  secret: string
  /** Says what to do with it, if it is not to be stored. */
  advice?: string
  /** Explains what the secret changes. */
  children?: ReactNode
  onClose: () => void
}

export function SecretDialog({ title, children, onClose, ...shown }: SecretDialogProps) {
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} title={title}>
      <Stack gap="md">
        <CopySecret {...shown} />
        {children}
        <Group justify="end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
