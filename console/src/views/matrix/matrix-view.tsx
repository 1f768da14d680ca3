/** The matrix: the role of every user on every document in a folder, at any depth. */
import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core'
import { useThrottledState } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import {
  NoOrganizationSelected,
  ToOrganizations,
  useIsUnknownOrganization,
} from '../../components/resources/organization-states.tsx'
import { EveryoneInside } from '../../components/resources/others-inside.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import type { FolderSearch } from '../../links/searches.ts'
import { chainQuery } from '../../queries/access/access.ts'
import { useKey } from '../../session/use-session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { shownName } from '../../shown-name.ts'
import { ExportAll } from './export-all.tsx'
import { LoadedMatrix } from './loaded-matrix.tsx'
import { type Checking, isStoppedMatrix, matrixQuery } from './matrix-query.ts'

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
  const isStopped = useRef(false)
  const { data, error, isStale, isFetching, refetch } = useQuery({
    ...matrixQuery(key, search, part, { onProgress: setProgress, isStopped: () => isStopped.current }),
    enabled: organizationId !== '',
  })
  const check = () => {
    isStopped.current = false
    setProgress(undefined)
    void refetch()
  }
  // A complete matrix is shown until another one is.
  const isPartial = data === undefined || isStoppedMatrix(data)
  const checking = isFetching && isPartial && progress?.part === part ? progress : undefined
  const matrix = checking?.matrix ?? data
  const completeUsers = (checking ?? data)?.completeUsers ?? 0
  // It takes long to compute, so it is not computed again by itself.
  const isOutdated = !isFetching && data !== undefined && (isStale || data.isOutdated)
  const ancestors = location?.chain ?? []
  const isUnknown = useIsUnknownOrganization(organizationId)
  if (organizationId === '')
    return (
      <Page title="Matrix">
        <NoOrganizationSelected>Open the matrix from the page of an organization or folder.</NoOrganizationSelected>
      </Page>
    )
  if (isUnknown)
    return <NotFound action={<ToOrganizations />}>No organization has this id. It may have been deleted.</NotFound>
  return (
    <Page
      title={`Matrix of ${shownName(ancestors[0]?.name, resource.id)}`}
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
          <Button variant="default" onClick={check}>
            Access has changed: check again
          </Button>
        )
      }
    >
      <EveryoneInside resource={resource} />
      <ExportAll place={{ ...resource, organizationId }} />
      {data === undefined && error !== null && <Failure error={error} />}
      {!isFetching && data !== undefined && isPartial && !isOutdated && (
        <Group justify="space-between">
          <Text size="sm" role="status">
            Stopped
          </Text>
          <Button variant="default" size="xs" onClick={check}>
            Go on
          </Button>
        </Group>
      )}
      {isFetching && (
        <Stack gap={4}>
          <Group justify="space-between">
            <Text size="sm" role="status">
              Checking access…
            </Text>
            <Button
              variant="default"
              size="xs"
              onClick={() => {
                isStopped.current = true
              }}
            >
              Stop
            </Button>
          </Group>
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
          completeUsers={completeUsers}
          file={resource.id}
          onPart={(by) => setPart(part + by)}
        />
      )}
    </Page>
  )
}
