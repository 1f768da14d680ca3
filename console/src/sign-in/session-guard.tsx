/**
 * Shows the views only to signed-in users. The URL is kept, so that signing in leads to the view of the link. When a session
 * ends, the view stays behind a dialog, for the same person alone.
 */
import { Button, Container } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { Failure } from '../components/feedback/failure.tsx'
import { Loading } from '../components/feedback/loading.tsx'
import { loadView } from '../components/page/load-view.ts'
import { COMPANY, FIRST_VISIT, LOGIN_LINK } from '../page-data.ts'
import { accountOf, own, useOwner } from '../session/owner.ts'
import { sessionQuery, tellOtherTabs } from '../session/session.ts'
import { SessionProvider } from '../session/use-session.ts'
import { CompanyLinkView } from './company-link-view.tsx'
import { LoginLinkView } from './login-link-view.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { SignInView } from './sign-in-view.tsx'

/** Loaded when it is needed: once in the life of a server. */
const FirstVisitView = lazy(async () => ({
  default: (await loadView(() => import('./first-visit-view.tsx'))).FirstVisitView,
}))

interface SessionGuardProps {
  /** Shown above what people without a session see. */
  banner: ReactNode
  children: ReactNode
}

export function SessionGuard({ banner, children }: SessionGuardProps) {
  const { data } = useQuery(sessionQuery)
  const owner = useOwner()
  const [link, setLink] = useState(LOGIN_LINK)
  const [visit, setVisit] = useState(FIRST_VISIT)
  const isElsewhere = visit !== undefined || link !== undefined
  useEffect(() => {
    if (data === null && owner === undefined) document.title = 'Sign in · Commonhold'
  }, [data, owner])
  useLayoutEffect(() => {
    if (isElsewhere || !data) return
    own(data)
    tellOtherTabs(data)
  }, [isElsewhere, data])
  const signedIn = owner ?? data
  if (!isElsewhere && signedIn) {
    if (data && accountOf(data) !== accountOf(signedIn)) return <SomebodyElse />
    return (
      <SessionProvider value={signedIn}>
        {children}
        {data === null && <SignInAgain owner={signedIn} />}
      </SessionProvider>
    )
  }
  return (
    <>
      {banner}
      {visit !== undefined ? (
        <Suspense fallback={<Waiting label="Opening the console" />}>
          <FirstVisitView token={visit} onClose={() => setVisit(undefined)} />
        </Suspense>
      ) : link !== undefined ? (
        <LoginLinkView link={link} onClose={() => setLink(undefined)} />
      ) : data === null && COMPANY !== undefined ? (
        <CompanyLinkView place={COMPANY} />
      ) : data === null ? (
        <SignInView />
      ) : (
        <CheckingSession />
      )}
    </>
  )
}

/** Loads the start page, without anything of the person who was signed in before. */
function SomebodyElse() {
  useEffect(() => location.replace('/console/'), [])
  return <Waiting label="Opening the console" />
}

function CheckingSession() {
  const { error, refetch } = useQuery(sessionQuery)
  if (error !== null)
    return (
      <Container component="main" size="xs" py="xl">
        <Failure error={error} action={<Button onClick={() => refetch()}>Try again</Button>} />
      </Container>
    )
  return <Waiting label="Checking the session" />
}

const Waiting = ({ label }: { label: string }) => (
  <main>
    <Loading mih="100dvh" label={label} />
  </main>
)
