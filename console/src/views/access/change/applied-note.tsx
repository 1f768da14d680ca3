/** Confirms an applied change and can undo it: grants get back the role and the expiry that they had. */
import { Alert, Button, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNow } from '../../../clock.ts'
import { Failure } from '../../../components/feedback/failure.tsx'
import { PermittedButton } from '../../../components/permitted/permitted-button.tsx'
import tones from '../../../components/values/tones.module.css'
import { queryKeyOf } from '../../../queries/keys/keys.ts'
import { apply, neededFor, type Place, readState } from './change.ts'
import type { Applied } from './preview-step.tsx'
import { aliveAt, changeTo, hasExpired, isSameState, stateAfter } from './state.ts'

const EXPIRED = 'The access that was given has expired, so there is nothing to undo.'

interface AppliedNoteProps {
  place: Place
  applied: Applied
  onClose: () => void
}

export function AppliedNote({ place, applied, onClose }: AppliedNoteProps) {
  const isExpired = hasExpired(applied.change, useNow())
  const undo = useMutation({
    mutationFn: async () => {
      if (hasExpired(applied.change, Date.now())) throw new Error(EXPIRED)
      const current = await readState(place, applied.change)
      const now = Date.now()
      if (!isSameState(aliveAt(now, stateAfter(applied.change, applied.state)), current))
        throw new Error('Somebody has changed this since, so nothing was undone.')
      await apply(place, changeTo(aliveAt(now, applied.state)))
    },
    meta: { invalidates: [queryKeyOf(place.key)] },
  })
  if (undo.error !== null) return <Failure error={undo.error} action={<Button onClick={onClose}>Close</Button>} />
  return (
    <Alert
      role="status"
      color="green"
      icon={<IconCheck aria-hidden />}
      title={undo.isSuccess ? 'Undone' : isExpired ? 'Expired' : 'Applied'}
      withCloseButton
      closeButtonLabel="Close message"
      onClose={onClose}
      classNames={{ title: tones.good, message: tones.good }}
    >
      <Group justify="space-between">
        <Text size="sm">
          {undo.isSuccess ? 'The previous access is restored.' : isExpired ? EXPIRED : applied.text}
        </Text>
        {!undo.isSuccess && !isExpired && (
          <PermittedButton
            needs={neededFor(place, changeTo(applied.state))}
            size="xs"
            variant="default"
            loading={undo.isPending}
            onClick={() => undo.mutate()}
          >
            Undo
          </PermittedButton>
        )}
      </Group>
    </Alert>
  )
}
