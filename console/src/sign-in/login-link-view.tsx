/** The page that a link to sign in opens. Only the button uses the link: programs that look through mails open links, but press no buttons. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { Logo } from '../components/page/logo.tsx'
import { linkQuery, signIn } from '../session/session.ts'
import { FailureAlert } from './failure-alert.tsx'
import { linkFailure, type SignInFailure } from './sign-in-failure.ts'
import classes from './sign-in-view.module.css'

interface LoginLinkViewProps {
  link: string
  /** The link was used, or is not wanted. */
  onClose: () => void
}

export function LoginLinkView({ link, onClose }: LoginLinkViewProps) {
  const queryClient = useQueryClient()
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
      await signIn(queryClient, { link })
      onClose()
    } catch (error) {
      setRefused(linkFailure(error))
      setBusy(false)
    }
  }

  return (
    <main className={classes.page}>
      <Paper className={classes.card} withBorder p="xl" radius="lg">
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColorSchemeSwitch />
          </Group>
          <Title order={1} size="h3">
            Sign in to the console
          </Title>
          {owner !== undefined && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              The link that you opened signs you in as <bdi>{owner.name}</bdi> (<bdi>{owner.email}</bdi>) to the
              workspace <bdi>{owner.workspaceName}</bdi>. It works once.
            </Text>
          )}
          <FailureAlert id="link-failure" failure={failure} />
          <Button onClick={use} loading={busy} disabled={owner === undefined}>
            Sign in
          </Button>
          <Button variant="subtle" onClick={onClose}>
            Do not use the link
          </Button>
        </Stack>
      </Paper>
    </main>
  )
}
