/** The fields of the e-mail settings of an API key. */
import { Checkbox, Fieldset, NativeSelect, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { labelOf } from '#sdk/event-sentences/field-names.ts'
import type { GetEmailConfigResult } from '#sdk/generated/operations.ts'
import { SecretInput } from '../../components/secrets/secret-input.tsx'
import { CommentTriggers } from './comment-triggers.tsx'

export type EmailConfig = GetEmailConfigResult
type Service = EmailConfig['emailServiceConfig']
type MailKind = keyof Service['templateIds']

const RECIPIENTS: Record<MailKind, string> = {
  'permission.added': 'the user',
  'permission.expiring': 'the user',
  'invitation.added': 'that person',
  'api_key.created': 'the owner',
  'auth_token.reset': 'the owner',
  'document.migration.completed': 'the owner',
  'document.migration.failed': 'the owner',
}
const KINDS = Object.keys(RECIPIENTS) as MailKind[]

const mailOf = (kind: MailKind): string => `${labelOf(kind)}: to ${RECIPIENTS[kind]}`

/** The settings of a new key. */
export const NEW_EMAIL_CONFIG: EmailConfig = {
  useEmailService: false,
  emailServiceConfig: {
    type: 'default',
    apiKey: '',
    fromEmail: '',
    fromCompany: '',
    commentTemplateId: '',
    tagTemplateId: '',
    documentUrl: '',
    triggers: {
      'permission.added': false,
      'permission.expiring': false,
      'invitation.added': true,
      'api_key.created': true,
      'auth_token.reset': true,
      'document.migration.completed': true,
      'document.migration.failed': true,
    },
    templateIds: {
      'permission.added': '',
      'permission.expiring': '',
      'invitation.added': '',
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
  const text = (field: 'fromEmail' | 'fromCompany' | 'documentUrl' | 'tagTemplateId' | 'commentTemplateId') => ({
    value: service[field],
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change({ [field]: currentTarget.value }),
  })
  return (
    <Stack gap="md">
      <Switch
        label="Send e-mail"
        description="While this is off, no mail is sent, even if a kind of mail below is on. Test mails can still be sent."
        checked={values.useEmailService}
        onChange={({ currentTarget }) => onChange({ ...values, useEmailService: currentTarget.checked })}
      />
      <NativeSelect
        label="Mail service"
        description="The SMTP server of the installation, if it has one, or SendGrid with the account of the API key below."
        value={service.type}
        data={[
          { value: 'default', label: 'SMTP server of the installation' },
          { value: 'sendgrid', label: 'SendGrid' },
          ...(stored.emailServiceConfig.type === 'custom' ? [{ value: 'custom', label: 'Custom (SMTP server)' }] : []),
        ]}
        onChange={({ currentTarget }) => change({ type: currentTarget.value as Service['type'] })}
      />
      {service.type === 'sendgrid' && (
        <SecretInput
          label="SendGrid API key"
          description="Stored encrypted and shown masked."
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
              ? 'The address of the sender, which must be verified in that account.'
              : 'The reply-to address. The sender is the installation.'
          }
          type="email"
          {...text('fromEmail')}
        />
        <TextInput label="From company" description="The name of the sender." {...text('fromCompany')} />
      </SimpleGrid>
      <TextInput
        label="Page of a document"
        description="What mails about comments link, such as https://app.example.com/{organizationId}/{documentId}. Empty: the page that the thread names."
        {...text('documentUrl')}
      />
      {service.type === 'sendgrid' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Template of mentions"
            description="Of your account, for mails about comments that mention the recipient."
            {...text('tagTemplateId')}
          />
          <TextInput
            label="Template of replies"
            description="Of your account, for other mails about comments."
            {...text('commentTemplateId')}
          />
        </SimpleGrid>
      )}
      <Mails service={service} change={change} />
      <CommentTriggers
        legend="Mails about comments"
        words={['newlyAdded', 'added', 'updated']}
        triggers={service.triggers.comment ?? {}}
        unset
        onChange={(comment) => change({ triggers: { ...service.triggers, comment } })}
      />
    </Stack>
  )
}

function Mails({ service, change }: { service: Service; change: (fields: Partial<Service>) => void }) {
  return (
    <Fieldset legend="Mails to send">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          With SendGrid you can use a template of your account; without one, the built-in text is sent.
        </Text>
        {KINDS.map((kind) => (
          <SimpleGrid
            key={kind}
            cols={{ base: 1, sm: service.type === 'sendgrid' ? 2 : 1 }}
            style={{ alignItems: 'center' }}
          >
            <Checkbox
              label={mailOf(kind)}
              checked={service.triggers[kind]}
              onChange={({ currentTarget }) =>
                change({ triggers: { ...service.triggers, [kind]: currentTarget.checked } })
              }
            />
            {service.type === 'sendgrid' && (
              <TextInput
                aria-label={`Template: ${mailOf(kind)}`}
                placeholder="Template id"
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
