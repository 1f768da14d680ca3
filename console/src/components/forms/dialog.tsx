/** A dialog with fields. It asks before it closes with changes that are not saved; not by a `Confirmation`, which is such a dialog itself. */
import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Typed } from './use-typed.ts'

interface DialogProps extends Pick<ModalProps, 'title' | 'size' | 'fullScreen'> {
  typed: Typed
  onClose: () => void
  children: ReactNode
}

export function Dialog({ typed, onClose, children, ...modal }: DialogProps) {
  /** The element that had the focus when the question opened. */
  const [left, setLeft] = useState<Element | null>()
  const isAsking = left !== undefined
  function keep(): void {
    if (left instanceof HTMLElement) left.focus()
    setLeft(undefined)
  }
  function discard(): void {
    typed.settle()
    onClose()
  }
  function close(): void {
    if (!typed.isOnTop()) return // Escape is for the dialog above this one
    if (typed.isChanged()) setLeft(document.activeElement)
    else onClose()
  }
  return (
    <>
      <Modal {...modal} opened onClose={close}>
        <div {...typed.props}>{children}</div>
      </Modal>
      {isAsking && (
        <Modal opened onClose={keep} title="Discard what you entered?">
          <Stack gap="md">
            <Text size="sm">It is not saved, and will be lost.</Text>
            <Group justify="end">
              <Button variant="default" onClick={keep}>
                Keep editing
              </Button>
              <Button data-autofocus onClick={discard}>
                Discard
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  )
}
