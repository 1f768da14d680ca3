/** Changes of something that is deleted already: the dialog says so and closes, and the view reports no error. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { createApiKey, deleteApiKey } from '#contract/keys/api-keys.ts'
import { addDomains, deleteDomains } from '#contract/keys/domains.ts'
import { deleteDocuments } from '#contract/resources/documents.ts'
import { deleteFolder } from '#contract/resources/folders.ts'
import { addInvitation, respondToInvitation } from '#contract/resources/invitations.ts'
import { deleteOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups, deleteUserGroups } from '#contract/users/user-groups.ts'
import { deleteUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint, deleteWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { inviteOperator, removeOperator } from '#contract/workspace/operators.ts'
import { address, type Company, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

interface Case {
  /** Creates the record, and returns the address of its view. */
  prepare: (company: Company) => Promise<string> | string
  ask: (page: Page) => Promise<void>
  /** Deletes the record by another way while the dialog is open. */
  deleteElsewhere: (company: Company) => Promise<unknown>
  typed?: string
  action: string
  says: string
}

const byMenu = (of: string, item: string) => async (page: Page) => {
  await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const ofKey = ({ apiKey }: Company, view: string) => `keys/${apiKey}/${address(view, { organizationId })}`
const email = 'grace@example.com'
const url = 'https://hooks.example.com/in'

let created = ''

const CASES: Record<string, Case> = {
  organization: {
    prepare: ({ apiKey }) => `keys/${apiKey}/organizations`,
    ask: byMenu('Acme', 'Delete'),
    deleteElsewhere: ({ client }) => client.call(deleteOrganizations, { organizationIds: [organizationId] }),
    typed: 'Acme',
    action: 'Delete',
    says: '“Acme” had already been deleted.',
  },
  document: {
    prepare: async (company) => {
      await company.documents('root', { documentId: 'notes', documentName: 'Notes' })
      return ofKey(company, 'organizations/resources')
    },
    ask: byMenu('document Notes', 'Delete'),
    deleteElsewhere: ({ client }) => client.call(deleteDocuments, { organizationId, documentIds: ['notes'] }),
    typed: 'Notes',
    action: 'Delete',
    says: '“Notes” had already been deleted.',
  },
  folder: {
    prepare: (company) => ofKey(company, 'organizations/resources'),
    ask: byMenu('folder Work', 'Delete'),
    deleteElsewhere: ({ client }) => client.call(deleteFolder, { organizationId, folderId: 'work' }),
    typed: 'Work',
    action: 'Delete',
    says: '“Work” had already been deleted.',
  },
  member: {
    prepare: (company) => ofKey(company, 'users'),
    ask: byMenu('Ada Lovelace', 'Remove'),
    deleteElsewhere: ({ client }) => client.call(deleteUsers, { organizationId, userIds: ['ada'] }),
    typed: 'Ada Lovelace',
    action: 'Remove',
    says: 'The user had already been removed from the organization.',
  },
  group: {
    prepare: async (company) => {
      const organizationUserGroups = [{ groupId: 'design', groupName: 'Design' }]
      await company.client.call(addUserGroups, { organizationId, organizationUserGroups })
      return ofKey(company, 'groups')
    },
    ask: byMenu('Design', 'Delete'),
    deleteElsewhere: ({ client }) =>
      client.call(deleteUserGroups, { organizationId, organizationUserGroupIds: ['design'] }),
    typed: 'Design',
    action: 'Delete',
    says: 'The group had already been deleted.',
  },
  invitation: {
    prepare: async (company) => {
      await company.client.call(addInvitation, { organizationId, type: 'org_user', email })
      return ofKey(company, 'invitations')
    },
    ask: byMenu(email, 'Withdraw'),
    deleteElsewhere: ({ client }) =>
      client.call(respondToInvitation, { organizationId, type: 'org_user', email, status: 'WITHDRAWN' }),
    action: 'Withdraw',
    says: 'The invitation was no longer pending: it had been answered or withdrawn.',
  },
  endpoint: {
    prepare: async ({ apiKey, client }) => {
      await client.call(updateAdvancedWebhookConfig, { isEnabled: true })
      created = (await client.call(createWebhookEndpoint, { url })).id
      return `keys/${apiKey}/webhooks/${created}`
    },
    ask: (page) => page.getByRole('button', { name: 'Delete', exact: true }).click(),
    deleteElsewhere: ({ client }) => client.call(deleteWebhookEndpoint, { endpointId: created }),
    typed: url,
    action: 'Delete',
    says: 'The endpoint had already been deleted.',
  },
  'API key': {
    prepare: async ({ owner }) => {
      created = (await owner.call(createApiKey, { ...createApiKey.example, apiKeyName: 'Spare' })).apiKey
      return 'keys'
    },
    ask: byMenu('Spare', 'Delete'),
    deleteElsewhere: ({ owner }) => owner.call(deleteApiKey, { apiKey: created, apiKeyName: 'Spare' }),
    typed: 'Spare',
    action: 'Delete',
    says: 'The API key Spare had already been deleted.',
  },
  person: {
    prepare: async ({ owner }) => {
      created = (await owner.call(inviteOperator, { email, role: 'support' })).operator.id
      return 'people'
    },
    ask: (page) =>
      page
        .getByRole('button', { name: `Remove ${email}` })
        .first()
        .click(),
    deleteElsewhere: ({ owner }) => owner.call(removeOperator, { operatorId: created }),
    action: 'Remove',
    says: `${email} had already been removed.`,
  },
}

describe('what is gone already', () => {
  for (const [record, { prepare, ask, deleteElsewhere, typed, action, says }] of Object.entries(CASES))
    it(`is not deleted again: a${/^[aeio]/i.test(record) ? 'n' : ''} ${record}`, async () => {
      const company = await newCompany(server)
      const { page } = await visit(await prepare(company), { as: company })
      await ask(page)
      const dialog = page.getByRole('dialog')
      if (typed !== undefined) await dialog.getByRole('textbox').fill(typed)
      await dialog.getByRole('button', { name: action, exact: true }).waitFor()
      await deleteElsewhere(company)
      await dialog.getByRole('button', { name: action, exact: true }).click()
      await page.getByText(says, { exact: true }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('alert').count(), 0)
    })

  it('leaves a domain out of the message, with nothing to undo', async () => {
    const company = await newCompany(server)
    const domains = ['app.example.com']
    await company.client.call(addDomains, { domains })
    const { page } = await visit(`keys/${company.apiKey}/settings/domains`, { as: company })
    const remove = page.getByRole('button', { name: 'Remove app.example.com' })
    await remove.waitFor()
    await company.client.call(deleteDomains, { domains })
    await remove.click()
    await page.getByText('app.example.com had already been removed.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  })
})
