/** The page that a link to sign in opens. Only the button uses the link: programs that scan mails open links, but press no buttons. */
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { OperatorName } from '../components/people/operator-name.tsx'
import { linkQuery, signIn } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { linkFailure, type SignInFailure } from './sign-in-failure.ts'

interface LoginLinkViewProps {
  link: string
  /** The link was used, or is not wanted. */
  onClose: () => void
}

export function LoginLinkView({ link, onClose }: LoginLinkViewProps) {
  const { data: owner, error } = useQuery(linkQuery(link))
  const [refused, setRefused] = useState<SignInFailure>()
  const failure = refused ?? (error === null ? undefined : linkFailure(error))
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    document.title = 'Sign in · Commonhold'
  }, [])

  async function use(): Promise<void> {
    setBusy(true)
    try {
      await signIn({ link })
      onClose()
    } catch (error) {
      setRefused(linkFailure(error))
      setBusy(false)
    }
  }

  return (
    <SignInCard title="Sign in to the console">
      {owner !== undefined && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          The link that you opened signs you in as <OperatorName {...owner} /> to the workspace{' '}
          <bdi>{owner.workspaceName}</bdi>. It works once.
        </Text>
      )}
      <FailureAlert id="link-failure" failure={failure} />
      <Button onClick={use} loading={busy} disabled={owner === undefined}>
        Sign in
      </Button>
      <Button variant="subtle" onClick={onClose}>
        Do not use the link
      </Button>
    </SignInCard>
  )
}
