/** Previews the effect of the removals of a review, and applies them. */
import { Progress, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { plural } from '../../plural.ts'
import type { ReviewedAccess } from '../../queries/access/access-review.ts'
import { removalEffectQuery, removeReviewed } from '../../queries/access/removals.ts'
import { useKey } from '../../session/use-session.ts'
import { EffectGroups } from '../access/change/effect-groups.tsx'

interface RemoveDialogProps {
  organizationId: string
  rows: readonly ReviewedAccess[]
  /** Called for each part, so that a failure later leaves it removed. */
  onRemoved: (rows: readonly ReviewedAccess[]) => void
  onClose: () => void
}

export function RemoveDialog({ organizationId, rows: decided, onRemoved, onClose }: RemoveDialogProps) {
  const key = useKey()
  // Removed rows no longer count as decided.
  const [rows] = useState(decided)
  const [removed, setRemoved] = useState<readonly ReviewedAccess[]>([])
  // After a failure, the rest is removed.
  const left = rows.filter((row) => !removed.includes(row))
  const { data: effect, error } = useQuery(removalEffectQuery(key, organizationId, rows))
  const removing = useMutation({
    ...removeReviewed(key, organizationId, (some) => {
      setRemoved((before) => [...before, ...some])
      onRemoved(some)
    }),
    onSuccess: onClose,
  })
  const place = { key, organizationId, resource: { type: 'organization' as const, id: organizationId }, chain: [] }
  return (
    <FormDialog
      title="Remove access"
      size="lg"
      action={`Remove ${plural(left.length, 'grant')}`}
      danger
      confirms
      needs="permissions.remove"
      disabled={effect === undefined}
      busy={removing.isPending}
      error={removing.error}
      onSubmit={() => removing.mutate(left)}
      onClose={onClose}
    >
      <Text size="sm">
        Removes the grants that you have decided to remove. A user can keep access by a grant above, a group or an
        access type; the preview counts who does.
      </Text>
      {error !== null && <Failure error={error} />}
      {effect === undefined && error === null && <Loading label="Loading the preview" />}
      {effect !== undefined && (
        <section aria-label="Effect of this change">
          <EffectGroups place={place} preview={{ ...effect, state: { grants: {} }, names: new Map() }} />
        </section>
      )}
      {removing.isPending && <Progress value={(100 * removed.length) / rows.length} aria-label="Removed" />}
    </FormDialog>
  )
}
