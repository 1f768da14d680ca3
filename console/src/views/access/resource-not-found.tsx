/** The access page of an id that no organization, folder or document has. */
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { ButtonLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'

export function ResourceNotFound({ id, migratedTo }: { id: string; migratedTo: string | undefined }) {
  return (
    <Page title={id || 'Access'}>
      <EmptyState
        title="Nothing has this id"
        action={
          <ButtonLink to="/keys/$apiKey/organizations" params={{ apiKey: useKey().id }}>
            Go to organizations
          </ButtonLink>
        }
      >
        {migratedTo === undefined
          ? 'It may have been deleted, or the link is incomplete.'
          : `The document was migrated; its new id is ${migratedTo}.`}
      </EmptyState>
    </Page>
  )
}
