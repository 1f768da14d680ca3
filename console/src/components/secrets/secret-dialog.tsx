/** A dialog that shows a new secret once. It does not close by accident. */
import type { ReactNode } from 'react'
import { DoneDialog } from '../forms/done-dialog.tsx'
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
    <DoneDialog title={title} once onClose={onClose}>
      <CopySecret {...shown} />
      {children}
    </DoneDialog>
  )
}
