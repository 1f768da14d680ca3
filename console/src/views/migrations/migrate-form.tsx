/** The form that tries a migration as a dry run, and then starts it. */
import { Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { MigrateDocumentResult } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Outcome } from '../../components/feedback/outcome.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedFields } from '../../components/permitted/permitted.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { IdPicker } from '../../components/search/id-picker.tsx'
import { migrateDocument } from '../../queries/keys/migrations.ts'
import { useKey } from '../../session/use-session.ts'

export function MigrateForm({ organizationId }: { organizationId: string }) {
  const key = useKey()
  const [documentId, setDocumentId] = useState('')
  const [newDocumentId, setNewDocumentId] = useState('')
  const trial = useMutation(migrateDocument(key))
  const start = useMutation({
    ...migrateDocument(key),
    onSuccess: () => {
      notifications.show({ message: 'The migration was started. The history shows its progress.' })
      change(setDocumentId, '')
      change(setNewDocumentId, '')
    },
  })
  /** Discards the result of the dry run, which was for other ids. */
  function change(set: (id: string) => void, id: string): void {
    set(id)
    trial.reset()
  }
  const complete = documentId !== '' && newDocumentId !== ''
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (complete) trial.mutate({ organizationId, documentId, newDocumentId, dryRun: true })
  }
  return (
    <Section title="Change the id of a document">
      <form onSubmit={submit} noValidate aria-label="Change the id of a document">
        <Stack gap="sm">
          <PermittedFields
            needs="migrations.migrate"
            actions={
              <>
                <div role="status">{trial.data !== undefined && <DryRunResult result={trial.data} />}</div>
                {trial.error !== null && <Failure error={trial.error} />}
                {start.error !== null && <Failure error={start.error} />}
                <Group gap="xs">
                  <PermittedButton
                    needs="migrations.migrate"
                    type="submit"
                    variant="default"
                    disabled={!complete}
                    loading={trial.isPending}
                  >
                    Dry run
                  </PermittedButton>
                  <PermittedButton
                    needs="migrations.migrate"
                    disabled={trial.data?.wouldSucceed !== true}
                    loading={start.isPending}
                    onClick={() => start.mutate({ organizationId, documentId, newDocumentId })}
                  >
                    Start migration
                  </PermittedButton>
                </Group>
              </>
            }
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <IdPicker
                label="Document"
                description="Its name, or its current id."
                required
                kinds={['document']}
                organizationId={organizationId}
                value={documentId}
                onChange={(id) => change(setDocumentId, id)}
              />
              <TextInput
                label="New id"
                description="An id that no document of the organization has."
                required
                autoComplete="off"
                spellCheck={false}
                value={newDocumentId}
                onChange={({ currentTarget }) => change(setNewDocumentId, currentTarget.value)}
              />
            </SimpleGrid>
          </PermittedFields>
        </Stack>
      </form>
    </Section>
  )
}

function DryRunResult({ result: { wouldSucceed, error } }: { result: MigrateDocumentResult }) {
  return (
    <Outcome good={wouldSucceed === true} title={wouldSucceed ? 'Migration would succeed' : 'Migration would fail'}>
      <Text size="sm">
        {wouldSucceed
          ? 'Nothing was changed. Start the migration to give the document its new id.'
          : (error?.message ?? 'The server gave no reason.')}
      </Text>
    </Outcome>
  )
}
