/** An access review: every grant of an organization, each to keep or to remove. */

import { Alert, Button, Group, Paper, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconDownload, IconInfoCircle, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { Note } from '../../components/feedback/note.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { Page } from '../../components/page/page.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { NoOrganizationSelected, NoOrganizations } from '../../components/resources/organization-states.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { DataTable } from '../../components/tables/data-table.tsx'
import { SearchField } from '../../components/tables/search-field.tsx'
import { useSearchText } from '../../components/tables/use-search-text.ts'
import { saveCsv } from '../../components/values/save-file.ts'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { ACCESS_REVIEW } from '../../links/paths.ts'
import { useAddress } from '../../links/use-address.ts'
import { plural } from '../../plural.ts'
import {
  accessReviewQuery,
  nameOfDecided,
  REVIEWED_MAX,
  type ReviewedAccess,
} from '../../queries/access/access-review.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { staticRows } from '../../queries/pages/rows.ts'
import { organizationQuery, organizationsQuery } from '../../queries/resources/organizations.ts'
import { useKey, useSession } from '../../session/use-session.ts'
import { csvOfReview } from './csv.ts'
import { type Decisions, useDecisions } from './decisions.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { columnsOf } from './review-columns.tsx'

const FILTERS = { all: 'All', undecided: 'Undecided', keep: 'Keep', remove: 'Remove' } as const
type Filter = keyof typeof FILTERS

export function AccessReviewView() {
  const key = useKey()
  const [{ organizationId = '' }, change] = useAddress(useSearch({ from: ACCESS_REVIEW }))
  const found = useQuery({ ...organizationQuery(key, organizationId), enabled: organizationId !== '' })
  const name = found.data?.organizationName
  return (
    <Page
      title="Access review"
      crumbs={
        organizationId === ''
          ? []
          : [
              <ResourceLink
                key="place"
                organizationId={organizationId}
                resource={{ type: 'organization', id: organizationId, ...(name !== undefined && { name }) }}
              />,
            ]
      }
      intro="Go through every grant of an organization, and keep it or remove it. Your decisions stay in this browser until you start again; the CSV takes them elsewhere."
    >
      <OrganizationSelect
        label="Organization"
        w={FILTER_WIDTH}
        value={organizationId}
        onChange={(organizationId) => change(() => ({ organizationId }))}
      />
      {organizationId === '' && <WithoutOrganization />}
      {organizationId !== '' && <Review key={organizationId} organizationId={organizationId} />}
    </Page>
  )
}

function WithoutOrganization() {
  const { data: organizations } = useQuery(pageQuery(organizationsQuery(useKey())))
  if (organizations === undefined) return null
  if (organizations.rows.length === 0)
    return <NoOrganizations>A review goes through the grants of an organization.</NoOrganizations>
  return <NoOrganizationSelected>Select an organization above to review its grants.</NoOrganizationSelected>
}

function Review({ organizationId }: { organizationId: string }) {
  const key = useKey()
  const decisions = useDecisions(useSession(), key.id, organizationId)
  const { data: review, error, isStale, isFetching, refetch } = useQuery(accessReviewQuery(key, organizationId))
  if (error !== null) return <Failure error={error} />
  if (review === undefined) return <Loading label="Reading the grants and their history" />
  const outdated = isStale && (
    <Button variant="default" w="fit-content" loading={isFetching} onClick={() => void refetch()}>
      Grants have changed: refresh
    </Button>
  )
  if (review.rows.length === 0)
    return (
      <>
        {outdated}
        <Paper withBorder>
          <EmptyState title="No grants to review">Nobody has a grant in this organization.</EmptyState>
        </Paper>
      </>
    )
  return (
    <>
      {outdated}
      {review.isCut && (
        <Alert icon={<IconInfoCircle aria-hidden />} title="There are more grants" c="var(--mantine-color-text)">
          The first {REVIEWED_MAX.toLocaleString('en')} grants are shown. Review the others with{' '}
          <code>grant list --history</code> of the command line.
        </Alert>
      )}
      <Rows organizationId={organizationId} rows={review.rows} decisions={decisions} />
    </>
  )
}

interface RowsProps {
  organizationId: string
  rows: readonly ReviewedAccess[]
  decisions: Decisions
}

function Rows({ organizationId, rows, decisions }: RowsProps) {
  const [filter, setFilter] = useState<Filter>('all')
  const { typed, type, sought } = useSearchText()
  const [isRemoving, setRemoving] = useState(false)
  const removed = rows.filter((row) => decisions.of(nameOfDecided(row)) === 'remove')
  const decidedCount = rows.filter((row) => decisions.of(nameOfDecided(row)) !== undefined).length
  const wanted = sought.toLowerCase()
  const shown = rows.filter(
    (row) =>
      (filter === 'all' || (decisions.of(nameOfDecided(row)) ?? 'undecided') === filter) &&
      [row.userId, row.groupId, row.name, row.id, row.resourceName].some((field) =>
        field?.toLowerCase().includes(wanted),
      ),
  )
  const columns = columnsOf(organizationId, decisions)
  function startAgain(): void {
    const undo = decisions.startAgain()
    notifyWithUndo('All decisions were forgotten.', async () => undo())
  }
  const undecided = shown.map(nameOfDecided).filter((name) => decisions.of(name) === undefined)
  return (
    <>
      {!decisions.isStored && (
        <Note tone="caution" title="This browser has no room for more decisions">
          They are lost when you leave this page. Export them as CSV, or remove what you have decided to remove.
        </Note>
      )}
      <Stack gap={4}>
        <Text size="sm" role="status">
          {decidedCount.toLocaleString('en')} of {plural(rows.length, 'grant')} decided
          {decisions.beganAt !== undefined && (
            <>
              , begun <Timestamp at={decisions.beganAt} />
            </>
          )}
        </Text>
        {/* The sentence above says the same. */}
        <Progress.Root aria-hidden>
          <Progress.Section value={(100 * decidedCount) / rows.length} withAria={false} miw={0} />
        </Progress.Root>
      </Stack>
      <Group justify="space-between">
        <search style={{ flex: '1 1 14rem', maxWidth: 360 }}>
          <SearchField
            label="Search by user, group or resource"
            placeholder="User, group or resource"
            typed={typed}
            onType={type}
          />
        </search>
        <SegmentedControl
          aria-label="Decision"
          transitionDuration={0}
          value={filter}
          onChange={(value) => setFilter(value as Filter)}
          data={Object.entries(FILTERS).map(([value, label]) => ({ value, label }))}
        />
      </Group>
      <Group>
        <PermittedButton
          needs="permissions.remove"
          color="red"
          variant="outline"
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={removed.length === 0}
          onClick={() => setRemoving(true)}
        >
          Remove {removed.length === 0 ? 'grants' : plural(removed.length, 'grant')}…
        </PermittedButton>
        <Button variant="default" disabled={undecided.length === 0} onClick={() => decisions.decide(undecided, 'keep')}>
          Keep the {undecided.length.toLocaleString('en')} undecided shown
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveCsv(`access review ${organizationId}`, [csvOfReview(rows, decisions)])}
        >
          Export as CSV
        </Button>
        <Button variant="subtle" disabled={decisions.beganAt === undefined} onClick={startAgain}>
          Start again
        </Button>
      </Group>
      <DataTable
        label="Grants"
        rows={staticRows(shown)}
        columns={columns}
        idOf={nameOfDecided}
        height="36rem"
        empty={
          <Paper withBorder>
            <EmptyState title="No matching grants">No grant matches this text and decision.</EmptyState>
          </Paper>
        }
      />
      {isRemoving && (
        <RemoveDialog
          organizationId={organizationId}
          rows={removed}
          onRemoved={(done) => decisions.decide(done.map(nameOfDecided), undefined)}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  )
}
