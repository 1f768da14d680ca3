/** The view "Worth a look" lists findings, each with the preview of the change that fixes it. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { listFindings } from '#contract/access/findings.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()

describe('worth a look', () => {
  it('shows why each finding matters, previews and applies the change, and removes the finding from the list', async () => {
    const somebody = await newWorkspace(server.url)
    const { client } = somebody
    const organizationId = 'acme'
    const documents = [{ documentId: 'p-1', documentName: 'Payroll', accessType: 'public' as const }]
    await client.call(addDocuments, { organizationId, createOrganization: true, documents })
    await client.call(setProfiles, { users: [{ userId: 'oliver', name: 'Oliver Quist', isGuest: true }] })
    const resource = { type: 'document' as const, id: 'p-1', organizationId, accessRole: 'editor' as const }
    await client.call(addPermissions, { user: { userId: 'oliver' }, permissions: { resources: [resource] } })
    const { page, faults } = await visit(`keys/${somebody.apiKey}/worth-a-look`, { as: somebody })
    const section = page.getByRole('region', { name: 'Public things with private names' })
    await section.getByText('The document Payroll is public, and its name sounds private.').waitFor()
    await page
      .getByRole('region', { name: 'Guests without an end' })
      .getByText(/The guest Oliver Quist edits/)
      .waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    // Buttons with the same words are told apart by what they are about.
    const restrict = page.getByRole('button', {
      name: 'Restrict…',
      description: 'The document Payroll is public, and its name sounds private.',
    })
    await section.getByRole('link', { name: 'Who has access', description: /^The document Payroll/ }).waitFor()
    await restrict.click()
    await page.getByRole('dialog').getByText('Make the document \u2068Payroll\u2069 restricted.').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Apply|Restrict|Change)/ })
      .click()
    await page.getByText('Applied').waitFor()
    await section.waitFor({ state: 'detached' })
    const { findings } = await client.call(listFindings, { kinds: ['public_private_name', 'guest_without_end'] })
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ['guest_without_end'],
    )
    assert.deepEqual(faults, [])
  })

  it('leads from a failing webhook to its page', async () => {
    const somebody = await newWorkspace(server.url)
    const { page } = await visit('keys', { as: somebody })
    await page.route(`**${listFindings.path}`, async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      const finding = { kind: 'webhook_failing', sentence: 'The webhook ep_1 fails.', endpointId: 'ep_1', calls: [] }
      json.result.data.findings = [finding]
      await route.fulfill({ response, json })
    })
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}/worth-a-look`)
    const link = page.getByRole('region', { name: 'Webhooks that fail' }).getByRole('link', { name: 'Webhook' })
    assert.match((await link.getAttribute('href')) ?? '', /\/webhooks\/ep_1$/)
  })

  it('promises no mails where the server has no mail server', async () => {
    const somebody = await newWorkspace(server.url)
    const { link = '' } = await somebody.owner.call(inviteOperator, { email: 'kim@example.com', role: 'admin' })
    const { page } = await visit()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}/worth-a-look`)
    const section = page.getByRole('region', { name: 'Administrators without a second factor' })
    await section.getByText('They sign in with the link of an invitation.').waitFor()
    assert.equal(await page.getByRole('link', { name: /by mail/ }).count(), 0)
    await page.goto(`${server.url}/console/account`)
    await page.getByText('This server has no mail server (SMTP_URL), so nothing is sent until it has one.').waitFor()
  })
})
