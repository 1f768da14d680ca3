/** The threads of comments in an organization, on a document or of a person. */

import { Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { NoOrganizations } from '../../components/resources/organization-states.tsx'
import { DataTable } from '../../components/tables/data-table.tsx'
import type { ThreadsSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { organizationsQuery } from '../../queries/resources/organizations.ts'
import { resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { type ThreadFilter, threadsQuery } from '../../queries/resources/threads.ts'
import { openOrganization } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { DeleteThread } from './delete-thread.tsx'
import { threadColumns } from './thread-columns.tsx'
import { ThreadFilters } from './thread-filters.tsx'

const INTRO = 'What people wrote on documents. You read as a moderator: private threads are shown too.'

const NO_NAMES: ReadonlyMap<string, string> = new Map()

export function ThreadsView() {
  const key = useKey()
  const [address, change] = useAddress<ThreadsSearch>(useSearch({ from: '/keys/$apiKey/threads' }))
  const organizations = useQuery(pageQuery(organizationsQuery(key)))
  const organizationId = address.organizationId ?? openOrganization(key.id, organizations.data?.rows) ?? ''
  const filter: ThreadFilter = { ...address, organizationId }
  const rows = useRows({ ...threadsQuery(key, filter), enabled: organizationId !== '' })
  const documents = [...new Set(rows.loaded.map(({ metadata }) => metadata.documentId))]
  const places = documents.map((id) => ({ type: 'document' as const, id }))
  const { data: names = NO_NAMES } = useQuery(resourceNamesQuery(key, organizationId, places))
  const [deleted, askToDelete] = useState<ThreadRecord>()
  const isFiltered = Object.keys(address).some((name) => name !== 'organizationId')
  return (
    <Page title="Threads" intro={INTRO}>
      <ThreadFilters
        filter={filter}
        onChange={(fields) =>
          // Of the filters as they are then: two texts that were typed at once arrive one right after the other.
          change(
            (previous) => {
              const changed = Object.entries({ organizationId, ...previous, ...fields })
              return Object.fromEntries(changed.filter(([, value]) => value !== undefined))
            },
            { replace: true },
          )
        }
      />
      {organizationId === '' && organizations.data !== undefined && (
        <NoOrganizations>Threads are on the documents of an organization.</NoOrganizations>
      )}
      {organizationId !== '' && (
        <DataTable
          label="Threads"
          rows={rows}
          columns={threadColumns(key.id, names, askToDelete)}
          idOf={({ annotationId, metadata }) => `${metadata.documentId} ${annotationId}`}
          empty={
            <Paper withBorder>
              <EmptyState title={isFiltered ? 'No matching threads' : 'No threads yet'}>
                Your app adds threads with <code>threads.add</code>.
              </EmptyState>
            </Paper>
          }
        />
      )}
      {deleted !== undefined && (
        <DeleteThread
          thread={deleted}
          onDeleted={() => askToDelete(undefined)}
          onClose={() => askToDelete(undefined)}
        />
      )}
    </Page>
  )
}
