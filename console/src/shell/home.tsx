/**
 * The start page. It redirects to the API key that was last open in this browser, or to the only one there is;
 * otherwise to the list of keys.
 */
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { EmptyState } from '../components/feedback/empty-state.tsx'
import { Failure } from '../components/feedback/failure.tsx'
import { Loading } from '../components/feedback/loading.tsx'
import { Page } from '../components/page/page.tsx'
import { PermittedLink } from '../components/permitted/permitted.tsx'
import { keysQuery } from '../queries/keys/keys.ts'
import { useSession } from '../session/use-session.ts'
import { lastKey } from './known-key.ts'

export function Home() {
  const signedIn = useSession()
  const { data: keys, error } = useQuery({ ...keysQuery, enabled: signedIn.workspaceId !== undefined })
  if (signedIn.apiKey !== undefined) return <Navigate to="/keys/$apiKey" params={{ apiKey: signedIn.apiKey }} replace />
  if (error !== null && keys === undefined) return <Failure error={error} />
  if (keys === undefined) return <Loading />
  const last = keys.find(({ id }) => id === lastKey()) ?? (keys.length === 1 ? keys[0] : undefined)
  if (last !== undefined) return <Navigate to="/keys/$apiKey" params={{ apiKey: last.id }} replace />
  if (keys.length > 0) return <Navigate to="/keys" replace />
  return (
    <Page title="Welcome">
      <EmptyState
        title="No API keys yet"
        primary
        action={
          <PermittedLink needs="api-keys.create" to="/keys/new">
            Create an API key
          </PermittedLink>
        }
      >
        An API key is a separate data set: organizations, folders, documents, and who has access to them.
      </EmptyState>
    </Page>
  )
}
