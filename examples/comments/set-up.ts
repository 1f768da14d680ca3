/** Sets the API key up for comments, and adds the people and the document of the example. All of it can be repeated. */
import type { Client } from '@commonhold/client'
import { PEOPLE } from './session.ts'

export const ORGANIZATION = 'acme'
export const DOCUMENT = 'roadmap'

export async function setUp(commonhold: Client): Promise<void> {
  // A role for people who may only comment. Documents are open to the members of their organization; editors share them, and
  // readers see who has access.
  await commonhold.keyConfig.update({
    accessRoles: ['viewer', 'commenter', 'editor'],
    defaultDocumentAccessType: 'organizationPrivate',
    userSharing: 'editorsAndReaders',
  })
  await commonhold.notificationConfig.update({ useNotificationService: true })
  await commonhold.emailConfig.update({
    useEmailService: true,
    emailServiceConfig: { type: 'default', fromCompany: 'Acme', fromEmail: 'help@acme.example' },
  })
  // The host of the page, which calls with the tokens of users.
  await commonhold.domains.add({ domains: ['127.0.0.1'] })
  await commonhold.organizations.add({ organizations: [{ organizationId: ORGANIZATION, organizationName: 'Acme' }] })
  await commonhold.documents.add({
    organizationId: ORGANIZATION,
    documents: [{ documentId: DOCUMENT, documentName: 'Roadmap' }],
  })
  const users = Object.entries(PEOPLE).map(([userId, person]) => ({ userId, ...person }))
  await commonhold.users.add({ organizationId: ORGANIZATION, users })
}
