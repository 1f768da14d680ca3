/** Shows the views of an API key only to sessions that may use it. */

import { Outlet, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Failure } from '../components/feedback/failure.tsx'
import { Loading } from '../components/feedback/loading.tsx'
import { ButtonLink } from '../links/links.tsx'
import { useSession } from '../session/use-session.ts'
import { DisabledKey, DisabledSince } from './disabled-key.tsx'
import { rememberLastKey, useKnownKey } from './known-key.ts'
import { NotFound } from './not-found.tsx'

export function KeyGuard() {
  const signedIn = useSession()
  const { apiKey } = useParams({ strict: false })
  const { key, isUnknown, error } = useKnownKey(apiKey)
  // A key that is disabled while its pages are open stays open: forms are not lost, and their calls say why they are refused.
  const [opened, setOpened] = useState<string>()
  if (key && !key.disabled && opened !== key.id) setOpened(key.id)
  useEffect(() => {
    if (key) rememberLastKey(key.id)
  }, [key])
  const isWorkspace = signedIn.workspaceId !== undefined
  if (isUnknown)
    return (
      <NotFound
        action={
          isWorkspace ? (
            <ButtonLink to="/keys" variant="default">
              API keys of the workspace
            </ButtonLink>
          ) : undefined
        }
      >
        {isWorkspace
          ? 'No API key of this workspace has the id in the address: it was deleted, belongs to another workspace, or is misspelt.'
          : 'This page belongs to another API key than the one you signed in with.'}
      </NotFound>
    )
  if (!isWorkspace) return <Outlet key={apiKey} />
  if (key?.disabled && opened !== key.id) return <DisabledKey apiKey={key} />
  if (key)
    return (
      <>
        {key.disabled && <DisabledSince apiKey={key} />}
        <Outlet key={apiKey} />
      </>
    )
  return error === null ? <Loading /> : <Failure error={error} />
}
