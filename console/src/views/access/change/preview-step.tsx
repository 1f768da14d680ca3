/**
 * Previews the effect of a change, then applies it. Everything is refetched before: when somebody else has changed
 * something, the preview is updated with a warning, and nothing is applied until the user confirms again.
 */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Failure } from '../../../components/feedback/failure.tsx'
import { Loading } from '../../../components/feedback/loading.tsx'
import { ProductionNote } from '../../../components/page/environment.tsx'
import { PermittedButton } from '../../../components/permitted/permitted-button.tsx'
import { queryKeyOf } from '../../../queries/keys/keys.ts'
import { apply, type Change, neededFor, type Place, previewQuery, type State } from './change.ts'
import { sentenceOf } from './change-sentence.ts'
import { ConflictAlert } from './conflict-alert.tsx'
import { EffectGroups } from './effect-groups.tsx'
import classes from './preview-step.module.css'
import { isSamePreview, isSameState } from './state.ts'
import { summary, toneOf } from './summary.ts'

export interface Applied {
  change: Change
  /** The state before the change. */
  state: State
  text: string
}

interface PreviewStepProps {
  place: Place
  change: Change
  /** The state that was on the screen when the dialog opened. */
  shown: State | undefined
  onBack: (() => void) | undefined
  onApplied: (applied: Applied) => void
  onClose: () => void
}

export function PreviewStep({ place, change, shown, onBack, onApplied, onClose }: PreviewStepProps) {
  const queryClient = useQueryClient()
  const options = previewQuery(place, change)
  const { data: preview, error } = useQuery(options)
  const [previousState, setPreviousState] = useState<State>()
  const heading = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (preview !== undefined) heading.current?.focus()
  }, [preview])

  const applying = useMutation({
    mutationFn: async () => {
      if (preview === undefined) return
      const now = await queryClient.fetchQuery({ ...options, staleTime: 0, networkMode: 'always', retry: false })
      if (!isSamePreview(preview, now)) return setPreviousState(preview.state)
      await apply(place, change)
      onApplied({ change, state: now.state, text: summary(now) })
    },
    meta: { invalidates: [queryKeyOf(place.key)] },
  })

  if (error !== null) return <Failure error={error} action={<Button onClick={onBack ?? onClose}>Back</Button>} />
  if (preview === undefined) return <Loading label="Loading the preview" />
  const isLoss = toneOf(preview) === 'danger'
  const before = previousState ?? (shown !== undefined && !isSameState(shown, preview.state) ? shown : undefined)
  return (
    <Stack gap="md">
      {before !== undefined && <ConflictAlert before={before} now={preview.state} />}
      {isLoss && <ProductionNote />}
      <Text ref={heading} tabIndex={-1} fw={600} className={classes.sentence}>
        {sentenceOf(place, change, preview.names)}
      </Text>
      <section aria-label="Effect of this change">
        <EffectGroups place={place} preview={preview} />
      </section>
      {applying.error !== null && <Failure error={applying.error} />}
      <Group justify="end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {onBack !== undefined && (
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
        )}
        <PermittedButton
          needs={neededFor(place, change)}
          {...(isLoss && { color: 'red' })}
          onClick={() => applying.mutate()}
          loading={applying.isPending}
        >
          Apply
        </PermittedButton>
      </Group>
    </Stack>
  )
}
