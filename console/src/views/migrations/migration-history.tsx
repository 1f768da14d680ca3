/** The migrations of an organization, newest first; running ones are polled. */
import { Button, Group, NativeSelect, Paper } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import type { Migration } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Section } from '../../components/page/section.tsx'
import { IdPicker } from '../../components/search/id-picker.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { RowButton } from '../../components/tables/row-button.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { migrationsQuery } from '../../queries/keys/migrations.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { useKey } from '../../session/use-session.ts'
import { MigrationDetail } from './migration-detail.tsx'
import { type MigrationSearch, STATUSES } from './migration-search.ts'
import { MigrationStatus } from './migration-status.tsx'

const POLL_MS = 1_000

const isRunning = ({ status }: Migration): boolean => status === 'pending' || status === 'in_progress'

interface MigrationHistoryProps {
  organizationId: string
  search: MigrationSearch
  onSearch: (search: MigrationSearch) => void
}

export function MigrationHistory({ organizationId, search, onSearch }: MigrationHistoryProps) {
  const key = useKey()
  const { documentId, status } = search
  const [shownId, show] = useState<string>()
  const migrations = useRows({
    ...migrationsQuery(key, {
      organizationId,
      pageSize: 100,
      ...(documentId === undefined ? {} : { documentId }),
      ...(status === undefined ? {} : { status }),
    }),
    refetchInterval: ({ state }) => (state.data?.rows.some(isRunning) ? POLL_MS : false),
  })
  const isWide = useMediaQuery('(min-width: 62em)')
  const columns: Column<Migration>[] = [
    {
      key: 'when',
      header: 'Started',
      width: 130,
      wideOnly: 'desktop',
      cell: ({ createdAt }) => <Timestamp at={createdAt} />,
    },
    {
      key: 'from',
      header: 'Document',
      ...(isWide !== false && { width: '19%' }),
      cell: ({ documentId, migrationId }) => <RowButton name={documentId} onClick={() => show(migrationId)} />,
    },
    {
      key: 'to',
      header: 'New id',
      width: '24%',
      wideOnly: true,
      cell: ({ newDocumentId }) => <Id>{newDocumentId}</Id>,
    },
    {
      key: 'status',
      header: 'Status',
      width: 'min(125px, 36vw)',
      cell: (migration) => <MigrationStatus migration={migration} />,
    },
    {
      key: 'why',
      header: 'Error',
      wideOnly: true,
      cell: ({ error }) => (
        <ClampedText size="xs" lh={1.3} lines={2}>
          {error === undefined ? '–' : error.message}
        </ClampedText>
      ),
    },
  ]
  const shown = migrations.loaded.find(({ migrationId }) => migrationId === shownId)
  const filtered = documentId !== undefined || status !== undefined
  return (
    <Section title="History">
      <HistoryFilter
        key={`${documentId} ${status}`}
        organizationId={organizationId}
        search={search}
        onSearch={onSearch}
      />
      <DataTable
        label="Migrations"
        rows={migrations}
        columns={columns}
        idOf={({ migrationId }) => migrationId}
        height="32rem"
        empty={
          <Paper withBorder>
            <EmptyState title={filtered ? 'No matching migrations' : 'No migrations yet'}>
              {filtered ? 'Try another status or document.' : 'Start one above. A dry run changes nothing.'}
            </EmptyState>
          </Paper>
        }
      />
      {shown !== undefined && (
        <MigrationDetail organizationId={organizationId} migration={shown} onClose={() => show(undefined)} />
      )}
    </Section>
  )
}

function HistoryFilter({ organizationId, search, onSearch }: MigrationHistoryProps) {
  const [documentId, setDocumentId] = useState(search.documentId ?? '')
  const show = ({ documentId, status }: MigrationSearch) =>
    onSearch({ organizationId, ...(documentId ? { documentId } : {}), ...(status ? { status } : {}) })
  function submit(event: FormEvent): void {
    event.preventDefault()
    show({ ...search, documentId })
  }
  return (
    <form onSubmit={submit} aria-label="Filter history">
      <Group align="end" gap="xs">
        <NativeSelect
          label="Status"
          w={150}
          value={search.status ?? ''}
          data={[{ value: '', label: 'All' }, ...Object.entries(STATUSES).map(([value, label]) => ({ value, label }))]}
          onChange={({ currentTarget }) =>
            show({ ...search, status: (currentTarget.value || undefined) as Migration['status'] })
          }
        />
        <IdPicker
          label="Old or new document id"
          placeholder="name or id"
          kinds={['document']}
          organizationId={organizationId}
          flex={1}
          miw={200}
          maw={320}
          value={documentId}
          onChange={setDocumentId}
        />
        <Button type="submit" variant="default">
          Find
        </Button>
      </Group>
    </form>
  )
}
