/** The matrix: the role of every user on every document of a folder. */
import { Alert, Button, Checkbox, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { IconDownload, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { ResourceLink } from '../../components/resource-link.tsx'
import { chainQuery } from '../../queries/access.ts'
import { useKey } from '../../session/use-session.ts'
import { Page } from '../../shell/page.tsx'
import { csvOf, download } from './csv.ts'
import { Legend } from './legend.tsx'
import { MatrixGrid } from './matrix-grid.tsx'
import { type Matrix, matrixQuery } from './matrix-query.ts'
import { type Sort, sortUsers } from './order.ts'

export function MatrixView() {
  const key = useKey()
  const search = useSearch({ from: '/keys/$apiKey/matrix' })
  const { organizationId, folderId } = search
  const [progress, setProgress] = useState(0)
  const resource =
    folderId === undefined
      ? { type: 'organization' as const, id: organizationId }
      : { type: 'folder' as const, id: folderId, organizationId }
  const { data: location } = useQuery({ ...chainQuery(key, resource), enabled: organizationId !== '' })
  const { data: matrix, error } = useQuery({ ...matrixQuery(key, search, setProgress), enabled: organizationId !== '' })
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
          : 'The role of each user on each document of this folder, without subfolders. Click a cell to see why.'
      }
    >
      {error !== null ? (
        <Failure error={error} />
      ) : matrix === undefined ? (
        <Stack gap={4}>
          <Text size="sm" role="status">
            Checking access…
          </Text>
          <Progress value={progress * 100} aria-label="Checked" />
        </Stack>
      ) : matrix.documents.length === 0 || matrix.users.length === 0 ? (
        <Paper withBorder>
          <EmptyState title={matrix.documents.length === 0 ? 'No documents here' : 'No users yet'}>
            The matrix needs a folder with documents, in an organization where somebody has a grant.
          </EmptyState>
        </Paper>
      ) : (
        <LoadedMatrix matrix={matrix} organizationId={organizationId} file={resource.id} />
      )}
    </Page>
  )
}

function LoadedMatrix({ matrix, organizationId, file }: { matrix: Matrix; organizationId: string; file: string }) {
  const [sort, setSort] = useState<Sort>({ by: 'name', descending: false })
  const [all, setAll] = useState(false)
  const order = useMemo(() => sortUsers(matrix, sort, all), [matrix, sort, all])
  const save = () =>
    download(`access ${file.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80)}.csv`, csvOf(matrix, order))
  return (
    <>
      {(matrix.moreUsers || matrix.moreDocuments) && (
        <Alert icon={<IconInfoCircle aria-hidden />} title="The matrix is incomplete" c="var(--mantine-color-text)">
          It shows the first {matrix.users.length.toLocaleString('en')} users and{' '}
          {matrix.documents.length.toLocaleString('en')} documents; there are more.
        </Alert>
      )}
      <Group justify="space-between">
        <Legend />
        <Group>
          <Checkbox
            label="Include users without access"
            checked={all}
            onChange={({ currentTarget }) => setAll(currentTarget.checked)}
          />
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
            Export as CSV
          </Button>
        </Group>
      </Group>
      {order.length === 0 ? (
        <Paper withBorder>
          <EmptyState title="Nobody has access to these documents">
            No user with a grant in this organization has access to any of them.
          </EmptyState>
        </Paper>
      ) : (
        <MatrixGrid matrix={matrix} organizationId={organizationId} order={order} sort={sort} onSort={setSort} />
      )}
      <Text size="xs" c="dimmed" role="status">
        {order.length.toLocaleString('en')} users, {matrix.documents.length.toLocaleString('en')} documents
      </Text>
    </>
  )
}
