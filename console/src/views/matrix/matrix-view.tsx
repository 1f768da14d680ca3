/** Users × documents: who may do what in a folder, at one glance. */
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
import { ordered, type Sort } from './order.ts'

export function MatrixView() {
  const key = useKey()
  const search = useSearch({ from: '/keys/$apiKey/matrix' })
  const { organizationId, folderId } = search
  const [part, setPart] = useState(0)
  const resource =
    folderId === undefined
      ? { type: 'organization' as const, id: organizationId }
      : { type: 'folder' as const, id: folderId, organizationId }
  const { data: place } = useQuery({ ...chainQuery(key, resource), enabled: organizationId !== '' })
  const { data: matrix, error } = useQuery({ ...matrixQuery(key, search, setPart), enabled: organizationId !== '' })
  const above = place?.chain ?? []
  return (
    <Page
      title={`Matrix of ${above[0]?.name ?? resource.id}`}
      crumbs={[...above]
        .reverse()
        .map((entry) => (
          <ResourceLink key={`${entry.type} ${entry.id}`} organizationId={organizationId} resource={entry} />
        ))}
      intro={
        folderId === undefined
          ? 'What everybody may do with the documents of the organization. A cell leads to why.'
          : 'What everybody may do with the documents of this folder, without those of its sub-folders. A cell leads to why.'
      }
    >
      {error !== null ? (
        <Failure error={error} />
      ) : matrix === undefined ? (
        <Stack gap={4}>
          <Text size="sm" role="status">
            Asking what everybody may do…
          </Text>
          <Progress value={part * 100} aria-label="Known" />
        </Stack>
      ) : matrix.documents.length === 0 || matrix.users.length === 0 ? (
        <Paper withBorder>
          <EmptyState title={matrix.documents.length === 0 ? 'No documents here' : 'No users yet'}>
            Choose a folder with documents, in an organization in which somebody has a grant.
          </EmptyState>
        </Paper>
      ) : (
        <Shown matrix={matrix} organizationId={organizationId} file={resource.id} />
      )}
    </Page>
  )
}

function Shown({ matrix, organizationId, file }: { matrix: Matrix; organizationId: string; file: string }) {
  const [sort, setSort] = useState<Sort>({ by: 'name', descending: false })
  const [all, setAll] = useState(false)
  const order = useMemo(() => ordered(matrix, sort, all), [matrix, sort, all])
  const save = () =>
    download(`access ${file.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80)}.csv`, csvOf(matrix, order))
  return (
    <>
      {(matrix.moreUsers || matrix.moreDocuments) && (
        <Alert icon={<IconInfoCircle aria-hidden />} title="Not all are shown" c="var(--mantine-color-text)">
          There are more than the {matrix.users.length.toLocaleString('en')} users and{' '}
          {matrix.documents.length.toLocaleString('en')} documents that are looked at here.
        </Alert>
      )}
      <Group justify="space-between">
        <Legend />
        <Group>
          <Checkbox
            label="Also who reaches nothing"
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
          <EmptyState title="Nobody reaches any of these documents">
            All of them are closed to everybody who has a grant in this organization.
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
