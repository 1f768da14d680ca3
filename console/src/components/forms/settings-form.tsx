/** A section of settings that are saved together. Only changed settings are sent. */
import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import type { Needs } from '../../session/permission.ts'
import { useUnsaved } from '../../session/unfinished.ts'
import { Failure } from '../feedback/failure.tsx'
import { Section } from '../page/section.tsx'
import { PermittedFields } from '../permitted/permitted.tsx'

interface SettingsFormProps {
  title: string
  intro?: ReactNode
  needs: Needs
  actions?: ReactNode
  children: ReactNode
  /** Whether there are unsaved changes. */
  changed: boolean
  busy: boolean
  error: Error | null
  onSave: () => void
  onDiscard: () => void
}

export function SettingsForm(props: SettingsFormProps) {
  const { title, intro, needs, actions, children, changed, busy, error, onSave, onDiscard } = props
  useUnsaved(changed ? title : undefined)
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (changed) onSave()
  }
  const save = (
    <>
      {error !== null && <Failure error={error} />}
      <Group gap="xs">
        {/* Nothing to save is no primary action: a view has several forms. */}
        <Button type="submit" variant={changed ? 'filled' : 'default'} disabled={!changed} loading={busy}>
          Save
        </Button>
        {changed && (
          <Button variant="default" onClick={onDiscard}>
            Discard
          </Button>
        )}
      </Group>
    </>
  )
  return (
    <Section title={title} intro={intro} actions={actions}>
      <form onSubmit={submit} noValidate aria-label={title}>
        <Stack gap="md">
          <PermittedFields needs={needs} actions={save}>
            {children}
          </PermittedFields>
        </Stack>
      </form>
    </Section>
  )
}
