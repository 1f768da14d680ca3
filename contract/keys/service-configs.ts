/**
 * `workspace/emailconfig/*` and `workspace/webhookconfig/*`: how an API key sends e-mail and webhooks. Fields:
 * rules/keys.md#service-settings.
 */
import Type from 'typebox'
import { COMMENT_EVENT_TYPES, CommentTriggers, HuddleTriggers } from '../comments/triggers.ts'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import type { EventType } from '../events/event-types.ts'
import { ENCODE_DATA, ENCRYPT_DATA, PublicKey } from '../webhooks/config.ts'

/** The user of the event, the owner of the API key, or the person who is invited. */
export type MailRecipient = 'user' | 'owner' | 'invited'

/** The kinds of mail by the type of event that they report, each with its recipient. */
export const MAIL_KINDS = {
  'permission.added': 'user',
  'permission.expiring': 'user',
  'invitation.added': 'invited',
  'api_key.created': 'owner',
  'auth_token.reset': 'owner',
  'document.migration.completed': 'owner',
  'document.migration.failed': 'owner',
} as const satisfies Partial<Record<EventType, MailRecipient>>
export type MailKind = keyof typeof MAIL_KINDS

/** A field for each kind of mail. */
const eachKind = <Schema extends Type.TSchema>(schema: Schema) =>
  Object.fromEntries(Object.keys(MAIL_KINDS).map((kind) => [kind, schema])) as Record<MailKind, Schema>

const secret = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: LIMITS.secretCharactersMax }))
const text = (description: string) => Type.Optional(Type.String({ description, maxLength: LIMITS.nameCharactersMax }))
const url = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      maxLength: LIMITS.urlCharactersMax,
      pattern: '^(https?://\\S+)?$',
      says: 'be an http or https URL, or empty',
    }),
  )

/** The triggers of mails about comments, which only keys that give them have. */
const optionalCommentTriggers = { comment: Type.Optional(CommentTriggers), huddle: Type.Optional(HuddleTriggers) }

const EMAIL_SERVICES = ['default', 'sendgrid', 'custom'] as const

export const EmailServiceConfig = ClosedObject({
  type: Type.Optional(
    Type.Enum([...EMAIL_SERVICES], {
      description:
        '`default` and `custom` send through the SMTP server of the installation, if it has one; `sendgrid` through the account of `apiKey`.',
    }),
  ),
  apiKey: secret("The provider's API key. Stored sealed."),
  fromEmail: Type.Optional(
    Type.String({
      description:
        'With `sendgrid`, the address of the sender, which that account must know. With `default`, the reply address: the sender is the installation.',
      maxLength: LIMITS.emailCharactersMax,
      pattern: '^([^\\s@]+@[^\\s@]+)?$',
      says: 'be an e-mail address, or empty',
    }),
  ),
  fromCompany: text('The name of the sender.'),
  commentTemplateId: text("The provider's template of mails about replies; without one, a built-in text is sent."),
  tagTemplateId: text("The provider's template of mails about mentions; without one, a built-in text is sent."),
  documentUrl: url(
    'The page of a document, which mails about comments link. `{organizationId}`, `{documentId}`, `{annotationId}` and `{commentId}` are replaced. Empty: the `pageInfo.url` of the thread.',
  ),
  triggers: Type.Optional(
    ClosedObject(
      { ...eachKind(Type.Optional(Type.Boolean())), ...optionalCommentTriggers },
      {
        description:
          'Which mails are sent, by the type of event that they report. Initially those to `ownerEmail` (`api_key.created`, `auth_token.reset`, `document.migration.*`) and invitations; none to users.',
      },
    ),
  ),
  templateIds: Type.Optional(
    ClosedObject(eachKind(Type.Optional(Type.String({ maxLength: LIMITS.nameCharactersMax }))), {
      description: 'Templates of the provider, by the type of event; without one, a built-in text is sent.',
    }),
  ),
})
export type EmailServiceConfig = Type.Static<typeof EmailServiceConfig>

/** Services of the hosted original that Commonhold does not have. */
const NO_SERVICE = { description: 'Stored and returned, without effect.' }

const WebhookTriggers = ClosedObject(
  {
    comment: Type.Optional(CommentTriggers),
    huddle: Type.Optional(HuddleTriggers),
    crdt: Type.Optional(Type.Boolean(NO_SERVICE)),
    recorder: Type.Optional(Type.Boolean(NO_SERVICE)),
    ...Object.fromEntries(COMMENT_EVENT_TYPES.map((type) => [type, Type.Optional(Type.Boolean())])),
  },
  {
    description:
      'The acts on threads and comments that webhooks report as the hosted original does, to basic URLs and signed endpoints: by default all except those of suggestions. An event type outside `comment` means the same as inside it.',
  },
)

export const WebhookServiceConfig = ClosedObject(
  {
    authToken: secret('Sent as `Authorization: Basic <authToken>`. Stored sealed.'),
    rawNotificationUrl: url(
      'Receives each event in the form in which it is stored, and acts on threads and comments as the hosted original sends them.',
    ),
    processedNotificationUrl: url(
      'Receives each event with names and a sentence, and acts on threads and comments as the hosted original sends them.',
    ),
    encodeData: Type.Optional(Type.Boolean({ description: ENCODE_DATA })),
    encryptData: Type.Optional(Type.Boolean({ description: ENCRYPT_DATA })),
    publicKey: Type.Optional(PublicKey),
    triggers: Type.Optional(WebhookTriggers),
  },
  { unimplemented: ['enableDataProtection'] },
)
export type WebhookServiceConfig = Type.Static<typeof WebhookServiceConfig>

const MASKED =
  'Masked: asterisks, and the last four characters of a long secret. In clear if the operator has set `REVEAL_SECRETS`.'

const GET = 'Settings that are not set are empty strings. Secrets are masked.'
const UPDATE =
  'Changes the given fields, at least one; the others keep their values. An empty string clears a field; a secret equal to its mask is left unchanged, and the mask of any other secret is refused. Returns all settings as they are now.'

export const EmailConfig = Type.Object({
  useEmailService: Type.Boolean(),
  emailServiceConfig: Type.Object({
    type: Type.Enum([...EMAIL_SERVICES]),
    apiKey: Type.String({ description: MASKED }),
    fromEmail: Type.String(),
    fromCompany: Type.String(),
    commentTemplateId: Type.String(),
    tagTemplateId: Type.String(),
    documentUrl: Type.String(),
    triggers: Type.Object({ ...eachKind(Type.Boolean()), ...optionalCommentTriggers }),
    templateIds: Type.Object(eachKind(Type.String())),
  }),
})
export type EmailConfig = Type.Static<typeof EmailConfig>

export const getEmailConfig = operation({
  name: 'email-config.get',
  path: '/v2/workspace/emailconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the e-mail settings',
  description: `Returns how the API key sends e-mail. ${GET}`,
  data: ClosedObject({}),
  result: EmailConfig,
  success: 'E-mail settings retrieved successfully.',
  example: {},
})

export const updateEmailConfig = operation({
  name: 'email-config.update',
  path: '/v2/workspace/emailconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the e-mail settings',
  description: UPDATE,
  data: ClosedObject(
    { useEmailService: Type.Optional(Type.Boolean()), emailServiceConfig: Type.Optional(EmailServiceConfig) },
    { minProperties: 1 },
  ),
  result: EmailConfig,
  success: 'E-mail settings updated successfully.',
  warns: true,
  example: { useEmailService: true, emailServiceConfig: { type: 'default', fromEmail: 'hello@example.com' } },
})

export const testEmailConfig = operation({
  name: 'email-config.test',
  path: '/v2/workspace/emailconfig/test',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Send a test mail',
  description:
    'Sends a mail to the `ownerEmail` of the API key with its current settings, whether `useEmailService` is on or off, and returns the response of the mail server or provider. `accepted` means that the server accepted the mail, not that it was delivered. At most 10 in an hour, for each workspace and each address.',
  data: ClosedObject({}),
  result: Type.Object({
    accepted: Type.Boolean(),
    recipient: Type.String(),
    answer: Type.String({ description: 'The response of the server, verbatim; at most 500 characters.' }),
  }),
  success: 'The mail server was asked.',
  reasons: ['mail_server_missing'],
  example: {},
})

export const WebhookConfig = Type.Object({
  useWebhookService: Type.Boolean(),
  webhookServiceConfig: Type.Object({
    authToken: Type.String({ description: MASKED }),
    rawNotificationUrl: Type.String(),
    processedNotificationUrl: Type.String(),
    encodeData: Type.Boolean(),
    encryptData: Type.Boolean(),
    publicKey: Type.String(),
    triggers: Type.Object({
      comment: CommentTriggers,
      huddle: HuddleTriggers,
      crdt: Type.Boolean(),
      recorder: Type.Boolean(),
    }),
  }),
})
export type WebhookConfig = Type.Static<typeof WebhookConfig>

export const getWebhookConfig = operation({
  name: 'webhook-config.get',
  path: '/v2/workspace/webhookconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the webhook settings',
  description: `Returns how the API key sends webhooks. ${GET}`,
  data: ClosedObject({}),
  result: WebhookConfig,
  success: 'Webhook settings retrieved successfully.',
  example: {},
})

export const updateWebhookConfig = operation({
  name: 'webhook-config.update',
  path: '/v2/workspace/webhookconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the webhook settings',
  description: UPDATE,
  data: ClosedObject(
    { useWebhookService: Type.Optional(Type.Boolean()), webhookServiceConfig: Type.Optional(WebhookServiceConfig) },
    { minProperties: 1 },
  ),
  result: WebhookConfig,
  success: 'Webhook settings updated successfully.',
  reasons: ['field_not_implemented'],
  example: { useWebhookService: true, webhookServiceConfig: { rawNotificationUrl: 'https://example.com/hooks' } },
})

export const SERVICE_CONFIG_OPERATIONS = [
  getEmailConfig,
  updateEmailConfig,
  testEmailConfig,
  getWebhookConfig,
  updateWebhookConfig,
]
