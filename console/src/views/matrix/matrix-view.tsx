/** The matrix: the role of every user on every document in a folder, at any depth. */
import { Alert, Button, Checkbox, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { useThrottledState } from '@mantine/hooks'
import { IconDownload, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { EveryoneInside } from '../../components/resources/others-inside.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { saveCsv } from '../../components/values/save-file.ts'
import type { FolderSearch } from '../../links/searches.ts'
import { plural } from '../../plural.ts'
import { chainQuery } from '../../queries/access/access.ts'
import { useKey } from '../../session/use-session.ts'
import { csvOf } from './csv.ts'
import { ExportAll } from './export-all.tsx'
import { Legend } from './legend.tsx'
import { MatrixGrid } from './matrix-grid.tsx'
import { type Checking, type Matrix, matrixQuery } from './matrix-query.ts'
import { type Sort, sortUsers } from './order.ts'

/** The visible rows are drawn again each time, and there can be a thousand calls. */
const DRAWN_EVERY_MS = 300

export function MatrixView() {
  const search = useSearch({ from: '/keys/$apiKey/matrix' })
  return <MatrixOf key={JSON.stringify(search)} search={search} />
}

function MatrixOf({ search }: { search: FolderSearch }) {
  const key = useKey()
  const [part, setPart] = useState(0)
  const { organizationId, folderId } = search
  const [progress, setProgress] = useThrottledState<Checking | undefined>(undefined, DRAWN_EVERY_MS)
  const resource =
    folderId === undefined
      ? { type: 'organization' as const, id: organizationId }
      : { type: 'folder' as const, id: folderId, organizationId }
  const { data: location } = useQuery({ ...chainQuery(key, resource), enabled: organizationId !== '' })
  const {
    data: complete,
    error,
    isStale,
    isFetching,
    refetch,
  } = useQuery({
    ...matrixQuery(key, search, part, setProgress),
    enabled: organizationId !== '',
  })
  const checking = progress?.part === part ? progress : undefined
  const matrix = complete ?? checking?.matrix
  // It takes long to compute, so it is not computed again by itself.
  const isOutdated = complete !== undefined && isStale
  const isChecking = complete === undefined && error === null
  const ancestors = location?.chain ?? []
  return (
    <Page
      title={`Matrix of ${ancestors[0]?.name ?? resource.id}`}
      crumbs={[...ancestors]
        .reverse()
        .map((entry) => (
          <ResourceLink key={`${entry.type} ${entry.id}`} organizationId={organizationId} resource={entry} />
        ))}
      intro={
        folderId === undefined
          ? 'The role of each user on each document of the organization. Click a cell to see why.'
          : 'The role of each user on each document of this folder and the folders below it. Click a cell to see why.'
      }
      actions={
        isOutdated && (
          <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
            Access has changed: check again
          </Button>
        )
      }
    >
      {organizationId !== '' && (
        <>
          <EveryoneInside resource={resource} />
          <ExportAll place={{ ...resource, organizationId }} />
        </>
      )}
      {complete === undefined && error !== null && <Failure error={error} />}
      {isChecking && (
        <Stack gap={4}>
          <Text size="sm" role="status">
            Checking access…
          </Text>
          <Progress value={(checking?.checkedFraction ?? 0) * 100} aria-label="Checked" />
        </Stack>
      )}
      {matrix === undefined ? null : matrix.documents.length === 0 || matrix.users.length === 0 ? (
        <Paper withBorder>
          <EmptyState title={matrix.documents.length === 0 ? 'No documents here' : 'No users yet'}>
            The matrix needs a folder with documents in it or below it, in an organization where somebody has a grant.
          </EmptyState>
        </Paper>
      ) : (
        <LoadedMatrix
          matrix={matrix}
          organizationId={organizationId}
          completeUsers={complete === undefined ? checking?.completeUsers : undefined}
          file={resource.id}
          onPart={(by) => setPart(part + by)}
        />
      )}
    </Page>
  )
}

interface LoadedMatrixProps {
  matrix: Matrix
  organizationId: string
  /** The rows that are complete so far; undefined: all. */
  completeUsers: number | undefined
  file: string
  /** Shows the previous part of the documents (-1) or the next (1). */
  onPart: (by: number) => void
}

function LoadedMatrix({ matrix, organizationId, completeUsers, file, onPart }: LoadedMatrixProps) {
  const [sort, setSort] = useState<Sort>({ by: 'name', descending: false })
  const [all, setAll] = useState(false)
  const isComplete = completeUsers === undefined
  const count = completeUsers ?? matrix.users.length
  const order = useMemo(() => sortUsers(matrix, sort, all, count), [matrix, sort, all, count])
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
          : `${count.toLocaleString('en')} of ${plural(matrix.users.length, 'user')} checked`}
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
