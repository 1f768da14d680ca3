/** How a key sends e-mail. */
import { Checkbox, Fieldset, NativeSelect, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { GetEmailConfigResult } from '#sdk/generated/operations.ts'
import { SecretInput } from '../../components/secret-input.tsx'

export type EmailConfig = GetEmailConfigResult
type Service = EmailConfig['emailServiceConfig']
type MailKind = keyof Service['triggers']

const MAILS: Record<MailKind, string> = {
  'permission.added': 'A user was granted a role: to the user',
  'permission.expiring': 'A grant ends soon: to the user',
  'api_key.created': 'An API key was created: to the owner',
  'auth_token.reset': 'The auth tokens were replaced: to the owner',
  'document.migration.completed': 'A document was given another id: to the owner',
  'document.migration.failed': 'A document could not be given another id: to the owner',
}
const KINDS = Object.keys(MAILS) as MailKind[]

/** As a new key has it. */
export const NEW_EMAIL_CONFIG: EmailConfig = {
  useEmailService: false,
  emailServiceConfig: {
    type: 'default',
    apiKey: '',
    fromEmail: '',
    fromCompany: '',
    commentTemplateId: '',
    tagTemplateId: '',
    triggers: {
      'permission.added': false,
      'permission.expiring': false,
      'api_key.created': true,
      'auth_token.reset': true,
      'document.migration.completed': true,
      'document.migration.failed': true,
    },
    templateIds: {
      'permission.added': '',
      'permission.expiring': '',
      'api_key.created': '',
      'auth_token.reset': '',
      'document.migration.completed': '',
      'document.migration.failed': '',
    },
  },
}

interface EmailFieldsProps {
  stored: EmailConfig
  values: EmailConfig
  onChange: (values: EmailConfig) => void
}

export function EmailFields({ stored, values, onChange }: EmailFieldsProps) {
  const service = values.emailServiceConfig
  const change = (fields: Partial<Service>) => onChange({ ...values, emailServiceConfig: { ...service, ...fields } })
  const text = (field: 'fromEmail' | 'fromCompany' | 'commentTemplateId' | 'tagTemplateId') => ({
    value: service[field],
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change({ [field]: currentTarget.value }),
  })
  return (
    <Stack gap="md">
      <Switch
        label="Send e-mail"
        description="Off: nothing is sent, whatever is set below. A test mail can be sent all the same."
        checked={values.useEmailService}
        onChange={({ currentTarget }) => onChange({ ...values, useEmailService: currentTarget.checked })}
      />
      <NativeSelect
        label="Through"
        description="The SMTP server of the installation, if it has one, or SendGrid, with the account that the API key below belongs to."
        value={service.type}
        data={[
          { value: 'default', label: 'the SMTP server of the installation' },
          { value: 'sendgrid', label: 'SendGrid' },
        ]}
        onChange={({ currentTarget }) => change({ type: currentTarget.value as Service['type'] })}
      />
      {service.type === 'sendgrid' && (
        <SecretInput
          label="API key of SendGrid"
          description="Stored sealed, and shown masked."
          stored={stored.emailServiceConfig.apiKey}
          value={service.apiKey}
          onChange={(apiKey) => change({ apiKey })}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="From e-mail"
          description={
            service.type === 'sendgrid'
              ? 'The address of the sender, which that account must know.'
              : 'Where answers go: the sender is the installation.'
          }
          type="email"
          {...text('fromEmail')}
        />
        <TextInput label="From company" description="The name of the sender." {...text('fromCompany')} />
      </SimpleGrid>
      <Mails service={service} change={change} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Template of comments"
          description="Stored and returned; takes effect when comments come."
          {...text('commentTemplateId')}
        />
        <TextInput
          label="Template of tags"
          description="Stored and returned; takes effect when comments come."
          {...text('tagTemplateId')}
        />
      </SimpleGrid>
    </Stack>
  )
}

function Mails({ service, change }: { service: Service; change: (fields: Partial<Service>) => void }) {
  return (
    <Fieldset legend="Which mails are sent">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          With SendGrid a template of the account can be filled in; without one our own text is sent.
        </Text>
        {KINDS.map((kind) => (
          <SimpleGrid
            key={kind}
            cols={{ base: 1, sm: service.type === 'sendgrid' ? 2 : 1 }}
            style={{ alignItems: 'center' }}
          >
            <Checkbox
              label={MAILS[kind]}
              checked={service.triggers[kind]}
              onChange={({ currentTarget }) =>
                change({ triggers: { ...service.triggers, [kind]: currentTarget.checked } })
              }
            />
            {service.type === 'sendgrid' && (
              <TextInput
                aria-label={`Template: ${MAILS[kind]}`}
                placeholder="Id of a template"
                autoComplete="off"
                value={service.templateIds[kind]}
                onChange={({ currentTarget }) =>
                  change({ templateIds: { ...service.templateIds, [kind]: currentTarget.value } })
                }
              />
            )}
          </SimpleGrid>
        ))}
      </Stack>
    </Fieldset>
  )
}
