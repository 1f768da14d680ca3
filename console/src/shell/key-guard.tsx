/** Shows the views of an API key to those whose key it is. */

import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Failure } from '../components/failure.tsx'
import { Loading } from '../components/loading.tsx'
import { keysQuery } from '../queries/keys.ts'
import { useSession } from '../session/use-session.ts'
import { DisabledKey } from './disabled-key.tsx'
import { keepLastKey } from './last-key.ts'
import { NotFound } from './not-found.tsx'

export function KeyGuard() {
  const signedIn = useSession()
  const { apiKey } = useParams({ strict: false })
  const { data: keys, error } = useQuery({ ...keysQuery, enabled: signedIn.workspaceId !== undefined })
  const key = keys?.find(({ id }) => id === apiKey)
  useEffect(() => {
    if (key !== undefined) keepLastKey(key.id)
  }, [key])
  if (signedIn.workspaceId === undefined)
    return signedIn.apiKey === apiKey ? (
      <Outlet key={apiKey} />
    ) : (
      <NotFound>This address is about another API key than the one that you signed in with.</NotFound>
    )
  if (key !== undefined) return key.disabled ? <DisabledKey apiKey={key} /> : <Outlet key={apiKey} />
  if (keys !== undefined) return <NotFound>There is no such API key in this workspace.</NotFound>
  if (error !== null) return <Failure error={error} />
  return <Loading />
}
