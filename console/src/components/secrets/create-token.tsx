/** The dialog that creates a token and shows its secret once. */
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Needs } from '../../session/permission.ts'
import { FormFault } from '../feedback/failure.tsx'
import { FormDialog } from '../forms/form-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

interface CreateTokenProps<Data> {
  /** `Auth token` */
  kind: string
  needs: Needs
  create: UseMutationResult<{ name: string; token: string }, Error, Data>
  /** Returns the data of the call, or the first fault of the fields, as a sentence. */
  data: () => Data | string
  onClose: () => void
  /** The fields. */
  children: ReactNode
}

export function CreateToken<Data extends object>({
  kind,
  needs,
  create,
  data,
  onClose,
  children,
}: CreateTokenProps<Data>) {
  const [fault, setFault] = useState<string>()
  function submit(): void {
    const given = data()
    setFault(typeof given === 'string' ? given : undefined)
    if (typeof given !== 'string') create.mutate(given)
  }
  if (create.data !== undefined)
    return (
      <SecretDialog
        title="Token created"
        label={`${kind} ${create.data.name}`}
        secret={create.data.token}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Create token"
      needs={needs}
      action="Create"
      error={create.error}
      busy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {children}
      <FormFault>{fault}</FormFault>
    </FormDialog>
  )
}
