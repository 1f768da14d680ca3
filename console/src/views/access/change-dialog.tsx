/** The dialog of a change, in two steps: a form, then a preview of the effect. Revoking has only the preview. */
import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import type { AccessType } from '#sdk/generated/operations.ts'
import { AccessTypeForm } from './access-type-form.tsx'
import type { Change, Grant, Place, State } from './change.ts'
import { GrantForm } from './grant-form.tsx'
import { type Applied, PreviewStep } from './preview-step.tsx'

/** The change that the dialog prepares. */
export type Begun =
  | { kind: 'give'; userIds?: readonly string[] }
  | { kind: 'edit'; userId: string; name: string | undefined; grant: Grant }
  | { kind: 'take'; grants: Readonly<Record<string, Grant>> }
  | { kind: 'accessType'; current: AccessType | null }

const TITLES: Record<Begun['kind'], string> = {
  give: 'Give access',
  edit: 'Change grant',
  take: 'Revoke access',
  accessType: 'Change access type',
}

/** The state that was on the screen when the dialog opened. */
function shownAt(begun: Begun): State | undefined {
  if (begun.kind === 'edit') return { grants: { [begun.userId]: begun.grant } }
  if (begun.kind === 'take') return { grants: begun.grants }
  return begun.kind === 'accessType' ? { grants: {}, accessType: begun.current } : undefined
}

interface ChangeDialogProps {
  place: Place
  begun: Begun
  onApplied: (applied: Applied) => void
  onClose: () => void
}

export function ChangeDialog({ place, begun, onApplied, onClose }: ChangeDialogProps) {
  const isNarrow = useMediaQuery('(max-width: 36em)')
  const removal = begun.kind === 'take' ? { take: Object.keys(begun.grants) } : undefined
  const [change, setChange] = useState<Change | undefined>(removal)
  const [isPreviewed, setPreviewed] = useState(removal !== undefined)
  const form = {
    before: change,
    onPreview: (wanted: Change) => {
      setChange(wanted)
      setPreviewed(true)
    },
    onClose,
  }
  return (
    <Modal opened onClose={onClose} title={TITLES[begun.kind]} size="lg" fullScreen={isNarrow === true}>
      {isPreviewed && change !== undefined ? (
        <PreviewStep
          place={place}
          change={change}
          shown={shownAt(begun)}
          onBack={removal === undefined ? () => setPreviewed(false) : undefined}
          onApplied={onApplied}
          onClose={onClose}
        />
      ) : begun.kind === 'accessType' ? (
        <AccessTypeForm current={begun.current} {...form} />
      ) : begun.kind === 'give' ? (
        <GrantForm place={place} {...(begun.userIds && { userIds: begun.userIds })} {...form} />
      ) : begun.kind === 'edit' ? (
        <GrantForm place={place} edited={begun} {...form} />
      ) : null}
    </Modal>
  )
}
