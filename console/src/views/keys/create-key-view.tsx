/** The form that creates an API key. Its secret is shown once. */
import { Accordion, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { changesOf } from '../../components/forms/use-settings.ts'
import { Page } from '../../components/page/page.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { PermittedFields } from '../../components/permitted/permitted.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { AnchorLink, ButtonLink } from '../../links/links.tsx'
import { createApiKey } from '../../queries/keys/keys.ts'
import { useUnsaved } from '../../session/unfinished.ts'
import { AccessFields } from './access-fields.tsx'
import { CreatedKey } from './created-key.tsx'
import { EmailFields } from './email-fields.tsx'
import { KeyFields } from './key-fields.tsx'
import { createData, faultsOf, NEW_KEY } from './new-key.ts'
import { WebhookFields } from './webhook-fields.tsx'

const crumbs = [
  <AnchorLink key="keys" to="/keys" size="sm" activeOptions={{ exact: true }}>
    API keys
  </AnchorLink>,
]

export function CreateKeyView() {
  return (
    <Page
      title="Create API key"
      crumbs={crumbs}
      intro="A separate data set. Type, owner and plan are final; everything else can be changed later."
    >
      <WorkspaceOnly>
        <CreateKey />
      </WorkspaceOnly>
    </Page>
  )
}

function CreateKey() {
  const [values, setValues] = useState(NEW_KEY)
  const [submitted, setSubmitted] = useState(false)
  const create = useMutation(createApiKey)
  const faults = faultsOf(values)
  const isChanged = changesOf(NEW_KEY, values) !== undefined
  useUnsaved(isChanged && create.data === undefined ? 'Create API key' : undefined)
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    setSubmitted(true)
    const [wrong] = Object.keys(faults)
    if (wrong === undefined) create.mutate(createData(values))
    else event.currentTarget.querySelector<HTMLInputElement>(`input[name=${wrong}]`)?.focus()
  }
  if (create.data !== undefined) return <CreatedKey created={create.data} />
  return (
    <form onSubmit={submit} noValidate aria-label="Create API key">
      <Stack gap="md" maw={760}>
        {/* Who may create keys of no type reads why once; who may not create production keys reads it at that type. */}
        <PermittedFields
          needs="api-keys.create"
          keyType="testing"
          actions={
            <>
              {create.error !== null && <Failure error={create.error} />}
              <Group>
                <PermittedButton needs="api-keys.create" keyType={values.type} type="submit" loading={create.isPending}>
                  Create key
                </PermittedButton>
                <ButtonLink to="/keys" variant="default">
                  Cancel
                </ButtonLink>
              </Group>
            </>
          }
        >
          <Paper withBorder p="md">
            <KeyFields values={values} onChange={setValues} faults={submitted ? faults : {}} />
          </Paper>
          <Paper withBorder>
            <Accordion multiple order={2}>
              <Accordion.Item value="access">
                <Part
                  title="Access"
                  about="The pages that may call with a user token, and which grants are accepted."
                />
                <Accordion.Panel>
                  <AccessFields values={values} onChange={setValues} />
                </Accordion.Panel>
              </Accordion.Item>
              <Accordion.Item value="email">
                <Part title="E-mail" about="Which mails are sent, and through which service." />
                <Accordion.Panel>
                  <EmailFields
                    stored={NEW_KEY.email}
                    values={values.email}
                    onChange={(email) => setValues({ ...values, email })}
                  />
                </Accordion.Panel>
              </Accordion.Item>
              <Accordion.Item value="webhooks">
                <Part
                  title="Webhooks"
                  about="Two URLs that receive events. Add signed endpoints once the key exists."
                />
                <Accordion.Panel>
                  <WebhookFields
                    stored={NEW_KEY.webhooks}
                    values={values.webhooks}
                    onChange={(webhooks) => setValues({ ...values, webhooks })}
                  />
                </Accordion.Panel>
              </Accordion.Item>
            </Accordion>
          </Paper>
        </PermittedFields>
      </Stack>
    </form>
  )
}

function Part({ title, about }: { title: string; about: string }) {
  return (
    <Accordion.Control>
      {title}
      <Text span display="block" size="xs" c="dimmed">
        {about}
      </Text>
    </Accordion.Control>
  )
}
