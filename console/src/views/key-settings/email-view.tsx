/** The e-mail settings of an API key, and a test mail. */
import { Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Failure } from '../../components/feedback/failure.tsx'
import { MailStateLine } from '../../components/feedback/mail-state.tsx'
import { Outcome } from '../../components/feedback/outcome.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { useSettings } from '../../components/forms/use-settings.ts'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { emailConfigQuery, testEmailConfig, updateEmailConfig } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'
import { type EmailConfig, EmailFields } from '../keys/email-fields.tsx'
import { MailPreview } from './mail-preview.tsx'

export function EmailView() {
  const key = useKey()
  const { data, error } = useQuery(emailConfigQuery(key))
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={480} />
  return (
    <Stack gap="md">
      <MailStateLine />
      <EmailForm stored={data} />
      <MailPreview />
      <TestMail />
    </Stack>
  )
}

function EmailForm({ stored }: { stored: EmailConfig }) {
  const key = useKey()
  const { values, set, form } = useSettings(stored, updateEmailConfig(key), () =>
    notifications.show({ message: 'The e-mail settings were saved.' }),
  )
  return (
    <SettingsForm needs="email-config.update" title="E-mail" {...form}>
      <EmailFields stored={stored} values={values} onChange={set} />
    </SettingsForm>
  )
}

function TestMail() {
  const test = useMutation(testEmailConfig(useKey()))
  return (
    <Section
      title="Test mail"
      intro="Sends a mail to the owner of the key with the saved settings, even while e-mail is off."
      actions={
        <PermittedButton
          needs="email-config.test"
          variant="default"
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Send test mail
        </PermittedButton>
      }
    >
      <div role="status">
        {test.data !== undefined && (
          <Outcome good={test.data.accepted} title={test.data.accepted ? 'Accepted' : 'Refused'}>
            <Text size="sm">
              The mail to <bdi>{test.data.recipient}</bdi>: {test.data.answer}
            </Text>
            {test.data.accepted && <Text size="sm">Accepted does not mean delivered: check the mailbox.</Text>}
          </Outcome>
        )}
      </div>
      {test.error !== null && <Failure error={test.error} />}
    </Section>
  )
}
