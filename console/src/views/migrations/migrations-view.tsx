/** Migrations, which change the ids of documents: dry run, start and history. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { NoOrganizations } from '../../components/resources/organization-states.tsx'
import { useAddress } from '../../links/use-address.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { organizationsQuery } from '../../queries/resources/organizations.ts'
import { openOrganization } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { MigrateForm } from './migrate-form.tsx'
import { MigrationHistory } from './migration-history.tsx'
import { migrationSearch } from './migration-search.ts'

export function MigrationsView() {
  const key = useKey()
  // The router also returns parameters that are no filters.
  const [search, change] = useAddress(migrationSearch({ ...useSearch({ from: '/keys/$apiKey/migrations' }) }))
  const { data, error } = useQuery(pageQuery(organizationsQuery(key)))
  const organizations = data?.rows
  const organizationId = search.organizationId ?? openOrganization(key.id, organizations)
  return (
    <Page
      title="Migrations"
      intro="A migration changes the id of a document and keeps everything attached to it. At any time, exactly one of the two ids is valid."
    >
      {error !== null && <Failure error={error} />}
      {organizationId === undefined && organizations === undefined && error === null && <Skeleton height={320} />}
      {organizations?.length === 0 && organizationId === undefined && (
        <NoOrganizations>Migrations change the ids of documents, which belong to organizations.</NoOrganizations>
      )}
      {organizationId !== undefined && (
        <>
          <OrganizationSelect
            label="Organization"
            w={FILTER_WIDTH}
            value={organizationId}
            onChange={(organizationId) => change(() => ({ organizationId }))}
          />
          <MigrateForm key={`migrate ${organizationId}`} organizationId={organizationId} />
          <MigrationHistory
            key={`history ${organizationId}`}
            organizationId={organizationId}
            search={search}
            onSearch={(search) => change(() => search)}
          />
        </>
      )}
    </Page>
  )
}
