/** The start leads to the API key that there is to look at: the first one that is not disabled. */

import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { EmptyState } from '../components/empty-state.tsx'
import { Failure } from '../components/failure.tsx'
import { Loading } from '../components/loading.tsx'
import { keysQuery } from '../queries/keys.ts'
import { useSession } from '../session/use-session.ts'
import { ButtonLink } from './links.tsx'
import { Page } from './page.tsx'

export function Start() {
  const signedIn = useSession()
  const { data: keys, error } = useQuery({ ...keysQuery, enabled: signedIn.workspaceId !== undefined })
  const apiKey = signedIn.apiKey ?? (keys?.find(({ disabled }) => !disabled) ?? keys?.[0])?.id
  if (apiKey !== undefined) return <Navigate to="/keys/$apiKey" params={{ apiKey }} replace />
  if (error !== null) return <Failure error={error} />
  if (keys === undefined) return <Loading />
  return (
    <Page title="Welcome">
      <EmptyState
        title="This workspace has no API key yet"
        action={<ButtonLink to="/keys/new">Create an API key</ButtonLink>}
      >
        An API key is a data set of its own: organizations, folders, documents and who may open them.
      </EmptyState>
    </Page>
  )
}
