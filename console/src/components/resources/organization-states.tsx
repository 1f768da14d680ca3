/** The content of views of one organization while there is none: none in the API key, or none selected. */
import { Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../links/links.tsx'
import { pageQuery } from '../../queries/pages/pages.ts'
import { organizationQuery, organizationsQuery } from '../../queries/resources/organizations.ts'
import { useKey } from '../../session/use-session.ts'
import { EmptyState } from '../feedback/empty-state.tsx'

/** Returns whether no organization has this id; false while that is not known, and for an empty id. */
export function useIsUnknownOrganization(id: string): boolean {
  const key = useKey()
  const { data: listed } = useQuery(pageQuery(organizationsQuery(key)))
  const isElsewhere = id !== '' && listed !== undefined && !listed.rows.some((one) => one.id === id)
  const { data } = useQuery({ ...organizationQuery(key, id), enabled: isElsewhere })
  return isElsewhere && data === null
}

export const ToOrganizations = () => (
  <ButtonLink to="/keys/$apiKey/organizations" params={{ apiKey: useKey().id }}>
    Go to organizations
  </ButtonLink>
)

/** `children` says why there must be one. */
export const NoOrganizations = ({ children }: { children: ReactNode }) => (
  <Paper withBorder>
    <EmptyState title="No organizations yet" action={<ToOrganizations />}>
      {children} Add an organization first.
    </EmptyState>
  </Paper>
)

export const NoOrganizationSelected = ({ children }: { children: ReactNode }) => (
  <Paper withBorder>
    <EmptyState title="No organization selected" action={<ToOrganizations />}>
      {children}
    </EmptyState>
  </Paper>
)
