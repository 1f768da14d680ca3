/** For users without a workspace: a form that creates one, and shows once the values that an application needs. */
import { Anchor, Button, Code, Collapse, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useId, useState } from 'react'
import { createPublicClient, createWorkspaceClient } from '#sdk/client.ts'
import type { AccessType, CreateWorkspaceData } from '#sdk/generated/operations.ts'
import { DefaultAccessType } from '../components/access/default-access-type.tsx'
import { CONFIRMS_ADDRESSES, HEADER_PREFIX, SIGNUP, SIGNUP_TOKEN } from '../page-data.ts'
import { signIn } from '../session/session.ts'
import { CopyIntoApp, type NewCredentials } from './copy-into-app.tsx'
import { FailureAlert } from './failure-alert.tsx'
import { type SignInFailure, signUpFailure } from './sign-in-failure.ts'

interface NewWorkspace extends NewCredentials {
  /** The secret of a link that signs the owner in as a person; absent if it is sent by mail, or there is none. */
  link?: string
  /** Why there is no link. The workspace exists: its credentials are shown once, with or without the link. */
  linkFailure?: SignInFailure
}

/** Creates a workspace, and what its owner and their application need of it. Nothing of this is kept. */
async function createWorkspace(data: CreateWorkspaceData, signupToken: string): Promise<NewWorkspace> {
  const server = { url: location.origin, headerPrefix: HEADER_PREFIX }
  const anybody = createPublicClient({ ...server, ...(signupToken === '' ? {} : { signupToken }) })
  const { id: workspaceId, authToken: workspaceToken, apiKeyList } = await anybody.workspaces.create(data)
  const workspace = createWorkspaceClient({ ...server, workspaceId, workspaceToken })
  const apiKey = Object.keys(apiKeyList)[0] ?? ''
  const [{ authTokens }, link] = await Promise.all([
    workspace.authTokens.get({ apiKey }),
    workspace.operators.invite({ email: data.ownerEmail, role: 'owner' }, { triesMax: 1 }).then(
      ({ link }) => (link === undefined ? {} : { link: new URL(link).hash.replace('#link=', '') }),
      (error: unknown) => ({ linkFailure: signUpFailure(error) }),
    ),
  ])
  const apiKeyToken = authTokens[0]?.token ?? ''
  return { url: location.origin, apiKey, apiKeyToken, workspaceId, workspaceToken, ...link }
}

export function FirstWorkspace() {
  const [opened, { toggle }] = useDisclosure(SIGNUP_TOKEN !== undefined)
  const [created, setCreated] = useState<NewWorkspace>()
  const id = useId()
  return (
    <Stack gap="xs">
      <Anchor component="button" type="button" size="sm" aria-expanded={opened} aria-controls={id} onClick={toggle}>
        No workspace yet?
      </Anchor>
      <Collapse expanded={opened} id={id}>
        {created !== undefined ? (
          <Credentials {...created} />
        ) : SIGNUP === 'closed' ? (
          <Text size="sm">
            Creating workspaces is closed on this server. Ask the person who runs it: the setting <Code>SIGNUP</Code>{' '}
            opens it.
          </Text>
        ) : (
          <CreateForm onCreated={setCreated} />
        )}
      </Collapse>
    </Stack>
  )
}

function CreateForm({ onCreated }: { onCreated: (created: NewWorkspace) => void }) {
  const [failure, setFailure] = useState<SignInFailure>()
  const [busy, setBusy] = useState(false)
  const [defaultDocumentAccessType, setAccessType] = useState<AccessType>('restricted')

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    try {
      const textOf = (name: string) => String(fields.get(name) ?? '').trim()
      const [ownerEmail, workspaceName] = [textOf('email'), textOf('name')]
      const named = workspaceName === '' ? {} : { workspaceName }
      onCreated(await createWorkspace({ ownerEmail, defaultDocumentAccessType, ...named }, textOf('signup')))
    } catch (error) {
      setFailure(signUpFailure(error))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FailureAlert id="sign-up-failure" failure={failure} />
        <TextInput name="name" label="Workspace name" defaultValue="My workspace" autoComplete="off" />
        <TextInput name="email" type="email" label="Your e-mail address" autoComplete="email" />
        {SIGNUP === 'token' && (
          <PasswordInput
            name="signup"
            label="Sign-up token"
            description="The contents of operator.token in the data folder of the server. With PostgreSQL, its setting SIGNUP_TOKEN."
            defaultValue={SIGNUP_TOKEN}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show sign-up token' }}
          />
        )}
        <DefaultAccessType value={defaultDocumentAccessType} onChange={setAccessType} />
        <Button type="submit" variant="light" loading={busy}>
          Create a workspace
        </Button>
        <Text size="xs" c="dimmed">
          For a workspace with a sample company, run <Code>npm run demo</Code> in a checkout of the source code.
        </Text>
      </Stack>
    </form>
  )
}

const MAILED = CONFIRMS_ADDRESSES
  ? 'A mail is sent to your address. If it asks whether you want mail, say yes, and request a link on the sign-in page; otherwise it has a link to sign in as yourself.'
  : 'A link to sign in as yourself is sent to your address by mail.'

function Credentials({ link, linkFailure, ...created }: NewWorkspace) {
  const [failure, setFailure] = useState<SignInFailure>()
  const { workspaceId, workspaceToken } = created
  const credentials = link === undefined ? { workspaceId, token: workspaceToken } : { link }
  const enter = () => signIn(credentials).catch((error) => setFailure(signUpFailure(error)))
  return (
    <Stack gap="sm">
      <Text size="sm">Your workspace is ready.</Text>
      <CopyIntoApp {...created} />
      {link === undefined && (
        <Text size="sm">
          {linkFailure === undefined
            ? MAILED
            : `No link to sign in as yourself was sent: ${linkFailure.message} Invite your address again later, under People.`}{' '}
          Until you sign in with a link, the console signs you in with the workspace token.
        </Text>
      )}
      <FailureAlert id="enter-failure" failure={failure} />
      <Button onClick={enter}>Continue to the console</Button>
    </Stack>
  )
}
