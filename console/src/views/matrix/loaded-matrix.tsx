/** The rows of the matrix that are complete, with what sorts, filters and saves them. */
import { Alert, Button, Checkbox, Group, Paper, Text } from '@mantine/core'
import { IconDownload, IconInfoCircle } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { saveCsv } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import { csvOf } from './csv.ts'
import { Legend } from './legend.tsx'
import type { Matrix } from './load-matrix.ts'
import { MatrixGrid } from './matrix-grid.tsx'
import { type Sort, sortUsers } from './order.ts'

interface LoadedMatrixProps {
  matrix: Matrix
  organizationId: string
  /** The first users, whose rows are complete. */
  completeUsers: number
  file: string
  /** Shows the previous part of the documents (-1) or the next (1). */
  onPart: (by: number) => void
}

export function LoadedMatrix({ matrix, organizationId, completeUsers, file, onPart }: LoadedMatrixProps) {
  const [sort, setSort] = useState<Sort>({ by: 'name', descending: false })
  const [all, setAll] = useState(false)
  const isComplete = completeUsers === matrix.users.length
  const order = useMemo(() => sortUsers(matrix, sort, all, completeUsers), [matrix, sort, all, completeUsers])
  const save = () => saveCsv(`access ${file}`, [csvOf(matrix, order)])
  return (
    <>
      {matrix.moreUsers && (
        <Alert icon={<IconInfoCircle aria-hidden />} title="The matrix is incomplete" c="var(--mantine-color-text)">
          It shows the first {matrix.users.length.toLocaleString('en')} users; there are more. “Export everything as
          CSV” includes all of them.
        </Alert>
      )}
      {(matrix.firstDocument > 0 || matrix.moreDocuments) && <Parts matrix={matrix} onPart={onPart} />}
      <Group justify="space-between">
        <Legend />
        <Group>
          <Checkbox
            label="Include users without access"
            checked={all}
            onChange={({ currentTarget }) => setAll(currentTarget.checked)}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={!isComplete}
            onClick={save}
          >
            Export as CSV
          </Button>
        </Group>
      </Group>
      {order.length === 0 && isComplete ? (
        <Paper withBorder>
          <EmptyState title="Nobody has access to these documents">
            No user with a grant in this organization has access to any of them.
          </EmptyState>
        </Paper>
      ) : (
        <MatrixGrid matrix={matrix} organizationId={organizationId} order={order} sort={sort} onSort={setSort} />
      )}
      <Text size="xs" c="dimmed" {...(isComplete && { role: 'status' })}>
        {isComplete
          ? `${plural(order.length, 'user')}, ${plural(matrix.documents.length, 'document')}`
          : `${completeUsers.toLocaleString('en')} of ${plural(matrix.users.length, 'user')} checked`}
      </Text>
    </>
  )
}

function Parts({
  matrix: { firstDocument, documents, moreDocuments },
  onPart,
}: Pick<LoadedMatrixProps, 'matrix' | 'onPart'>) {
  const last = firstDocument + documents.length
  return (
    <Group gap="xs">
      <Text size="sm">
        Documents {(firstDocument + 1).toLocaleString('en')} to {last.toLocaleString('en')}
      </Text>
      <Button size="compact-sm" variant="default" disabled={firstDocument === 0} onClick={() => onPart(-1)}>
        Previous documents
      </Button>
      <Button size="compact-sm" variant="default" disabled={!moreDocuments} onClick={() => onPart(1)}>
        Next documents
      </Button>
    </Group>
  )
}
