/** Shows the views only to signed-in users. The URL is kept, so that signing in leads to the view of the link. */

import { Button, Container } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from '../components/failure.tsx'
import { Loading } from '../components/loading.tsx'
import { LOGIN_LINK } from '../page-data.ts'
import { LoginLinkView } from './login-link-view.tsx'
import { sessionQuery } from './session.ts'
import { SignInView } from './sign-in-view.tsx'

export function SessionGuard({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery)
  const [link, setLink] = useState(LOGIN_LINK)
  useEffect(() => {
    if (data === null) document.title = 'Sign in · Commonhold'
  }, [data])
  if (link !== undefined) return <LoginLinkView link={link} onClose={() => setLink(undefined)} />
  if (data === null) return <SignInView />
  if (data !== undefined) return children
  if (error !== null)
    return (
      <Container component="main" size="xs" py="xl">
        <Failure error={error} action={<Button onClick={() => refetch()}>Try again</Button>} />
      </Container>
    )
  return (
    <main>
      <Loading mih="100dvh" label="Checking the session" />
    </main>
  )
}
