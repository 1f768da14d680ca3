/** Invitations in the console: inviting, sending again, withdrawing. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addInvitation, getInvitations } from '#contract/resources/invitations.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { act } from '../support/steps.ts'

const { server, visit } = await openConsole()

const organizationId = 'acme'
const EVIL = '<img src=x onerror=alert(1)>'

async function openInvitations(emails: readonly string[] = []) {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  await client.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
  for (const email of emails)
    await client.call(addInvitation, { organizationId, type: 'org_user', email, invitedBy: { name: EVIL } })
  const opened = await visit(`keys/${somebody.apiKey}/invitations`, { as: somebody })
  await opened.page.getByRole('heading', { level: 1, name: 'Invitations' }).waitFor()
  return { ...opened, somebody }
}

const row = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Invitations' }).getByRole('row').filter({ hasText: text })

const stored = ({ client }: Somebody) => client.call(getInvitations, { organizationId })

describe('invitations in the console', () => {
  it('explain the empty state, and are added with the role first', async () => {
    const { page, somebody, faults } = await openInvitations()
    await page.getByText('No invitations yet').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Invite' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByRole('radio', { name: 'Viewer: can read' }).and(page.locator(':focus')).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await dialog.getByText('The person gets no mail, so tell them yourself: e-mail is turned off.').waitFor()
    await page.keyboard.press('ArrowDown')
    await dialog.getByLabel('E-mail').fill('grace@example.com')
    await dialog.getByRole('combobox', { name: 'To' }).selectOption('A document')
    await dialog.getByRole('combobox', { name: 'Document' }).fill('roadmap')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await row(page, 'grace@example.com').getByText('pending').waitFor()
    await row(page, 'grace@example.com').getByRole('link', { name: 'roadmap' }).waitFor()
    const [{ type, documentId, accessRole } = {}] = await stored(somebody)
    assert.deepEqual(
      { type, documentId, accessRole },
      { type: 'doc_user', documentId: 'roadmap', accessRole: 'editor' },
    )
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })

  it('are sent again and withdrawn; texts stay texts', async () => {
    const { page, somebody, faults } = await openInvitations(['grace@example.com', 'eve@example.com'])
    await row(page, 'grace@example.com').getByText(EVIL).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    await act(page, 'grace@example.com', 'Send again')
    await page.getByText('The invitation of grace@example.com was renewed.').waitFor()
    const renewed = (await stored(somebody)).find(({ email }) => email === 'grace@example.com')
    assert.ok((renewed?.lastUpdated ?? 0) > (renewed?.createdAt ?? 0))
    await act(page, 'eve@example.com', 'Withdraw')
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await row(page, 'eve@example.com').getByText('withdrawn').waitFor()
    await page.getByRole('switch', { name: 'Only pending' }).click()
    await row(page, 'eve@example.com').waitFor({ state: 'detached' })
    assert.deepEqual(
      (await stored(somebody)).map(({ email, status }) => [email, status]),
      [
        ['eve@example.com', 'WITHDRAWN'],
        ['grace@example.com', 'PENDING'],
      ],
    )
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.deepEqual(faults, [])
  })
})
