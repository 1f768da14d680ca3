/**
 * The first visit, with the link that the server prints on one's own machine: creates a workspace, and shows the values
 * that an application needs.
 */
import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { AccessType } from '#sdk/generated/operations.ts'
import { DefaultAccessType } from '../components/access/default-access-type.tsx'
import { Loading } from '../components/feedback/loading.tsx'
import { ColorSchemeSwitch } from '../components/page/color-scheme-switch.tsx'
import { Logo } from '../components/page/logo.tsx'
import { createFirstWorkspace, enter, firstVisitQuery, type NewFirstWorkspace } from '../session/session.ts'
import { CopyIntoApp } from './copy-into-app.tsx'
import { FailureAlert } from './failure-alert.tsx'
import { firstVisitFailure, type SignInFailure } from './sign-in-failure.ts'
import classes from './sign-in-view.module.css'

interface FirstVisitProps {
  token: string
  /** The link was used, or cannot be. */
  onClose: () => void
}

export function FirstVisitView({ token, onClose }: FirstVisitProps) {
  const { data: isValid, error } = useQuery(firstVisitQuery(token))
  const [created, setCreated] = useState<NewFirstWorkspace>()
  const [entering, setEntering] = useState(false)
  const title = created === undefined ? 'Welcome to Commonhold' : 'Your workspace is ready'
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Commonhold`
  }, [title])
  // The button that was pressed is gone. The heading gets the focus, and not the next button: a second Enter would hide the secrets.
  useEffect(() => {
    if (created !== undefined) heading.current?.focus()
  }, [created])

  async function open(): Promise<void> {
    setEntering(true)
    await enter()
    onClose()
  }

  return (
    <main className={classes.page}>
      <Paper className={created === undefined ? classes.card : classes.wide} withBorder p="xl" radius="lg">
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColorSchemeSwitch />
          </Group>
          <Title order={1} size="h3" tabIndex={-1} ref={heading} className={classes.heading}>
            {title}
          </Title>
          {created !== undefined && (
            <>
              <CopyIntoApp url={location.origin} {...created} />
              <Button onClick={open} loading={entering}>
                Open the console
              </Button>
            </>
          )}
          {created === undefined && error !== null && (
            <>
              <FailureAlert id="first-visit-failure" failure={firstVisitFailure(error)} />
              <Button onClick={onClose}>Sign in</Button>
            </>
          )}
          {created === undefined && error === null && isValid === undefined && <Loading label="Checking the link" />}
          {created === undefined && isValid && <CreateForm token={token} onCreated={setCreated} />}
        </Stack>
      </Paper>
    </main>
  )
}

function CreateForm({ token, onCreated }: { token: string; onCreated: (created: NewFirstWorkspace) => void }) {
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)
  const [defaultDocumentAccessType, setAccessType] = useState<AccessType>('restricted')

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const [workspaceName, email] = ['name', 'email'].map((name) => String(fields.get(name)).trim())
    setBusy(true)
    try {
      onCreated(
        await createFirstWorkspace({
          ...{ token, defaultDocumentAccessType },
          workspaceName: workspaceName ?? '',
          ...(email !== '' && { email }),
        }),
      )
    } catch (error) {
      setFailure(firstVisitFailure(error))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          Your server is running. Create a workspace for the API keys of your applications: you become its owner, and
          are signed in.
        </Text>
        <FailureAlert id="first-visit-failure" failure={failure} />
        <TextInput name="name" label="Workspace name" defaultValue="My workspace" autoComplete="off" />
        <TextInput
          name="email"
          type="email"
          label="Your e-mail address (optional)"
          description="For links to sign in, once the server can send mail."
          autoComplete="email"
        />
        <DefaultAccessType value={defaultDocumentAccessType} onChange={setAccessType} />
        <Button type="submit" loading={busy} autoFocus>
          Create workspace
        </Button>
      </Stack>
    </form>
  )
}
