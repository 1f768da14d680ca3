/** `workspace/emailconfig/preview/get`: what mails about comments look like. */
import Type from 'typebox'
import { ThreadId } from '../comments/parts.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'

export const getEmailPreview = operation({
  name: 'email-previews.get',
  path: '/v2/workspace/emailconfig/preview/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Preview a mail about comments',
  description:
    'Returns the mail that would be sent about the last comment of a thread, or about an example, with the current settings. Nothing is sent, and links that would unsubscribe somebody lead nowhere. With a template of the provider, the provider makes the mail of its own.',
  data: ClosedObject({
    kind: Type.Enum(['mention', 'reply'], { description: 'Why the recipient would get it.' }),
    organizationId: Type.Optional({ ...OrganizationId, description: 'The organization of the thread.' }),
    documentId: Type.Optional({ ...DocumentId, description: 'The document of the thread.' }),
    annotationId: Type.Optional({ ...ThreadId, description: 'The thread, with both. Absent: an example.' }),
  }),
  result: Type.Object({
    sender: Type.String({ description: 'The name of the sender.' }),
    subject: Type.String(),
    text: Type.String({ description: 'The mail as plain text.' }),
    html: Type.String({ description: 'The mail as HTML, without scripts.' }),
    templateId: Type.String({ description: "The provider's template that is used instead; empty: none." }),
  }),
  success: 'Preview created successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', 'thread_does_not_exist'],
  example: { kind: 'mention', organizationId: 'acme', documentId: 'roadmap', annotationId: 'pricing' },
})

export const EMAIL_PREVIEW_OPERATIONS = [getEmailPreview]
