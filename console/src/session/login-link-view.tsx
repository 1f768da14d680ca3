/** The page that a link to sign in opens. Only the button uses the link: programs that look through mails open links, but press no buttons. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ColorSchemeSwitch } from '../shell/color-scheme-switch.tsx'
import { Logo } from '../shell/logo.tsx'
import { FailureAlert } from './failure-alert.tsx'
import { signInWithLink } from './session.ts'
import { linkFailure, type SignInFailure } from './sign-in-failure.ts'
import classes from './sign-in-view.module.css'

interface LoginLinkViewProps {
  link: string
  /** The link was used, or is not wanted. */
  onClose: () => void
}

export function LoginLinkView({ link, onClose }: LoginLinkViewProps) {
  const queryClient = useQueryClient()
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    document.title = 'Sign in · Commonhold'
  }, [])

  async function use(): Promise<void> {
    setBusy(true)
    try {
      await signInWithLink(queryClient, link)
      onClose()
    } catch (error) {
      setFailure(linkFailure(error))
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
          <Text size="sm">
            The link that you opened signs you in to the workspace that it was sent for, with full access to all its API
            keys. It works once.
          </Text>
          <FailureAlert id="link-failure" failure={failure} />
          <Button onClick={use} loading={busy}>
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
