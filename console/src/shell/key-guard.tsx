/** Shows the views of an API key only to sessions that may use it. */

import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Failure } from '../components/feedback/failure.tsx'
import { Loading } from '../components/feedback/loading.tsx'
import { apiKeyQuery, keysQuery } from '../queries/keys/keys.ts'
import { useSession } from '../session/use-session.ts'
import { DisabledKey } from './disabled-key.tsx'
import { rememberLastKey } from './last-key.ts'
import { NotFound } from './not-found.tsx'

export function KeyGuard() {
  const signedIn = useSession()
  const { apiKey } = useParams({ strict: false })
  const { data: keys, error } = useQuery({ ...keysQuery, enabled: signedIn.workspaceId !== undefined })
  const offered = keys?.find(({ id }) => id === apiKey)
  // The list is limited: a key beyond it is looked up by its id.
  const other = useQuery({ ...apiKeyQuery(apiKey ?? ''), enabled: keys !== undefined && offered === undefined })
  const key = offered ?? other.data
  // A key that is disabled while its pages are open stays open: forms are not lost, and their calls say why they are refused.
  const [opened, setOpened] = useState<string>()
  if (key && !key.disabled && opened !== key.id) setOpened(key.id)
  useEffect(() => {
    if (key) rememberLastKey(key.id)
  }, [key])
  if (signedIn.workspaceId === undefined)
    return signedIn.apiKey === apiKey ? (
      <Outlet key={apiKey} />
    ) : (
      <NotFound>This page belongs to another API key than the one you signed in with.</NotFound>
    )
  if (key) return key.disabled && opened !== key.id ? <DisabledKey apiKey={key} /> : <Outlet key={apiKey} />
  if (key === null) return <NotFound>This workspace has no such API key.</NotFound>
  const failure = error ?? other.error
  if (failure !== null) return <Failure error={failure} />
  return <Loading />
}
