/** The access page of an id that no organization, folder or document has. */
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { ToOrganizations } from '../../components/resources/organization-states.tsx'

export function ResourceNotFound({ id, migratedTo }: { id: string; migratedTo: string | undefined }) {
  return (
    <Page title={id || 'Access'}>
      <EmptyState title="Nothing has this id" action={<ToOrganizations />}>
        {migratedTo === undefined
          ? 'It may have been deleted, or the link is incomplete.'
          : `The document was migrated; its new id is ${migratedTo}.`}
      </EmptyState>
    </Page>
  )
}
