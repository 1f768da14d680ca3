/** The dialog that sets the access type of folders and documents, or lets them inherit it, with a preview of the effect. */
import { Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccessType } from '#sdk/generated/operations.ts'
import { accessTypes } from '../../../access-types.ts'
import { AccessTypeLabel } from '../../../components/access/everyone.tsx'
import { Failure } from '../../../components/feedback/failure.tsx'
import { Note } from '../../../components/feedback/note.tsx'
import { FormDialog } from '../../../components/forms/form-dialog.tsx'
import { type AccessEffect, accessEffectQuery } from '../../../queries/access/simulation.ts'
import type { OwnAccessType } from '../../../queries/resources/resources.ts'
import { useKey } from '../../../session/use-session.ts'
import { summary, toneOf } from '../../access/change/summary.ts'
import { describeResources, idsOf, neededFor, type Resource } from '../resource.ts'

interface AccessDialogProps {
  organizationId: string
  resources: readonly Resource[]
  onSet: (accessType: OwnAccessType) => void
  onClose: () => void
}

const FOLLOWS = 'follows'

export function AccessDialog({ organizationId, resources, onSet, onClose }: AccessDialogProps) {
  const now = new Set(resources.map(({ ownAccessType }) => ownAccessType ?? FOLLOWS))
  const [only] = now
  const [chosen, choose] = useState(now.size === 1 ? only : undefined)
  const wanted = chosen === FOLLOWS ? null : (chosen as AccessType)
  const changed = resources.filter(({ ownAccessType }) => ownAccessType !== wanted)
  const isChange = chosen !== undefined && changed.length > 0
  const effect = useQuery({
    ...accessEffectQuery(useKey(), idsOf(organizationId, changed), wanted),
    enabled: isChange,
  })
  return (
    <FormDialog
      needs={neededFor(resources).access}
      title={<bdi>Access type of {describeResources(resources)}</bdi>}
      action={resources.length === 1 ? 'Set' : `Set for all ${resources.length.toLocaleString('en')}`}
      danger={isChange && effect.data !== undefined && toneOf(effect.data) === 'danger'}
      disabled={!isChange || effect.isPending}
      onSubmit={() => {
        onSet(wanted)
        onClose()
      }}
      onClose={onClose}
    >
      <Radio.Group
        label="Access type"
        description="Nobody has access to disabled documents, with any access type."
        value={chosen ?? null}
        onChange={(value) => choose(value as typeof chosen)}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value={FOLLOWS}
            label="Inherit"
            description="Uses the access type of the folder above, or the default of the API key."
          />
          {accessTypes.map(([value, { meaning }]) => (
            <Radio key={value} value={value} label={<AccessTypeLabel type={value} />} description={meaning} />
          ))}
        </Stack>
      </Radio.Group>
      {resources.some(({ type }) => type === 'folder') && (
        <Text size="sm">
          The change also applies to the contents of folders, except those with an access type of their own.
        </Text>
      )}
      {effect.error !== null ? (
        <Failure error={effect.error} />
      ) : (
        <div role="status" style={{ minHeight: '1.5em' }}>
          {isChange && <Effect effect={effect.data} />}
        </div>
      )}
    </FormDialog>
  )
}

function Effect({ effect }: { effect: AccessEffect | undefined }) {
  const tone = effect && toneOf(effect)
  const text = effect === undefined ? 'Loading the preview…' : summary(effect)
  if (tone !== undefined) return <Note tone={tone} title={text} />
  return (
    <Text size="sm" fw={600}>
      {text}
    </Text>
  )
}
