/** The details of a migration: its times, and why it failed. */
import { Drawer, Stack, Text } from '@mantine/core'
import type { Migration } from '#sdk/generated/operations.ts'
import { Outcome } from '../../components/feedback/outcome.tsx'
import { type Fact, Facts } from '../../components/values/facts.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'
import { MigrationStatus } from './migration-status.tsx'

const NEXT: Record<NonNullable<Migration['error']>['reason'], string> = {
  document_does_not_exist: 'The document may have been migrated before, or deleted. Check its id.',
  new_document_already_exists: 'Choose an unused id, or delete the document that has it.',
  migration_in_progress: 'Wait until the other migration of this document has finished, then start this one again.',
}

interface MigrationDetailProps {
  organizationId: string
  migration: Migration
  onClose: () => void
}

export function MigrationDetail({ organizationId, migration, onClose }: MigrationDetailProps) {
  const { id: apiKey } = useKey()
  const { migrationId, documentId, newDocumentId, createdAt, startedAt, finishedAt, status, error } = migration
  const at = (moment: number | null) => (moment === null ? 'not yet' : <Timestamp at={moment} date />)
  const facts: Fact[] = [
    ['Status', <MigrationStatus key="status" migration={migration} />],
    ['Document', <Id key="from">{documentId}</Id>],
    ['New id', <Id key="to">{newDocumentId}</Id>],
    ['Requested', at(createdAt)],
    ['Started', at(startedAt)],
    ['Finished', at(finishedAt)],
    ['Migration id', <Id key="id">{migrationId}</Id>],
  ]
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Migration">
      <Stack gap="md">
        {error !== undefined && (
          <Outcome good={false} title="Why it failed">
            <Text size="sm">{error.message}</Text>
            <Text size="sm">{NEXT[error.reason]}</Text>
            <Text size="xs">
              Reason: <Id copy={false}>{error.reason}</Id>
            </Text>
          </Outcome>
        )}
        <Facts label="Migration" facts={facts} />
        <AnchorLink
          size="sm"
          to="/keys/$apiKey/events"
          params={{ apiKey }}
          search={{
            organizationId,
            resourceType: 'document',
            resourceId: status === 'completed' ? newDocumentId : documentId,
          }}
        >
          All events of this document
        </AnchorLink>
      </Stack>
    </Drawer>
  )
}
