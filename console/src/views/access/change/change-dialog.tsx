/** The dialog of a change, in two steps: a form, then a preview of the effect. Revoking has only the preview. */
import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import type { AccessType } from '#sdk/generated/operations.ts'
import { Dialog } from '../../../components/forms/dialog.tsx'
import { useTyped } from '../../../components/forms/use-typed.ts'
import { ResourceIcon } from '../../../components/resources/resource-icon.tsx'
import { shownName } from '../../../shown-name.ts'
import { AccessTypeForm } from './access-type-form.tsx'
import type { Change, Grant, Place, State } from './change.ts'
import { GrantForm } from './grant-form.tsx'
import { type Applied, PreviewStep } from './preview-step.tsx'

/** The change that the dialog prepares. */
export type PendingChange =
  | { kind: 'give'; principals?: readonly string[] }
  | { kind: 'edit' | 'lend'; principal: string; name: string | undefined; grants: readonly Grant[] }
  | { kind: 'revoke'; grants: State['grants'] }
  | { kind: 'accessType'; current: AccessType | null }

const TITLES: Record<PendingChange['kind'], string> = {
  give: 'Give access',
  edit: 'Change role or set an end',
  lend: 'Give a role temporarily',
  revoke: 'Revoke access',
  accessType: 'Change access type',
}

/** The state that was on the screen when the dialog opened. */
function shownAt(pending: PendingChange): State | undefined {
  if (pending.kind === 'edit' || pending.kind === 'lend') return { grants: { [pending.principal]: pending.grants } }
  if (pending.kind === 'revoke') return { grants: pending.grants }
  return pending.kind === 'accessType' ? { grants: {}, accessType: pending.current } : undefined
}

interface ChangeDialogProps {
  place: Place
  pending: PendingChange
  onApplied: (applied: Applied) => void
  onClose: () => void
}

export function ChangeDialog({ place, pending, onApplied, onClose }: ChangeDialogProps) {
  const isNarrow = useMediaQuery('(max-width: 36em)')
  const removal = pending.kind === 'revoke' ? { revoke: Object.keys(pending.grants) } : undefined
  const [change, setChange] = useState<Change | undefined>(removal)
  const [isPreviewed, setPreviewed] = useState(removal !== undefined)
  const typed = useTyped()
  const close = () => {
    typed.settle()
    onClose()
  }
  const form = {
    before: change,
    onPreview: (wanted: Change) => {
      setChange(wanted)
      setPreviewed(true)
    },
    onClose: close,
  }
  return (
    <Dialog
      typed={typed}
      onClose={onClose}
      title={<DialogTitle place={place} kind={pending.kind} />}
      size="lg"
      fullScreen={isNarrow === true}
    >
      {isPreviewed && change !== undefined ? (
        <PreviewStep
          place={place}
          change={change}
          shown={shownAt(pending)}
          onBack={removal === undefined ? () => setPreviewed(false) : undefined}
          onApplied={(applied) => {
            typed.settle()
            onApplied(applied)
          }}
          onClose={close}
        />
      ) : pending.kind === 'accessType' ? (
        <AccessTypeForm current={pending.current} {...form} />
      ) : pending.kind === 'give' ? (
        <GrantForm place={place} {...(pending.principals && { principals: pending.principals })} {...form} />
      ) : pending.kind === 'edit' || pending.kind === 'lend' ? (
        <GrantForm place={place} edited={pending} {...form} />
      ) : null}
    </Dialog>
  )
}

/** The change that the dialog makes, and its resource. */
function DialogTitle({ place: { resource, chain }, kind }: { place: Place; kind: PendingChange['kind'] }) {
  return (
    <>
      {TITLES[kind]}
      <Text size="sm" c="dimmed" fw={400} component="div">
        <ResourceIcon type={resource.type} labelled /> <bdi>{shownName(chain[0]?.name, resource.id)}</bdi>
      </Text>
    </>
  )
}
