/** People in the console: invitation, first sign-in, roles, passkeys, confirmation and removal. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer } from '#testing/server.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'
import { button, heading, row } from '../support/steps.ts'

const { server } = await openConsole()
type Visit = Awaited<ReturnType<typeof openConsole>>['visit']

/** Signs a person in with the link of an invitation, which replaces the address of an open page. */
async function signedInBy(link: string, visit: Visit): Promise<Page> {
  const { page } = await visit()
  await page.goto(link)
  await button(page, 'Sign in').click()
  await heading(page, 'Overview')
  return page
}

/** A server that browsers know by a name, so that they accept passkeys. */
async function namedServer(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  const url = `http://localhost:${port}`
  await startServer({ PORT: String(port), PUBLIC_URL: url })
  return url
}

describe('an operator', () => {
  it('without a name is named by the address, once', async () => {
    const somebody = await newWorkspace(server.url)
    const { link } = await somebody.owner.call(inviteOperator, { email: 'lou@example.com', role: 'admin' })
    const { page } = await openPage(link ?? '')
    await page.getByText('signs you in as lou@example.com to the workspace').waitFor()
    const people = await openPage(`${server.url}/console/people`, { as: somebody })
    await row(people.page, 'lou@example.com').waitFor()
    assert.equal((await row(people.page, 'lou@example.com').innerText()).match(/lou@/g)?.length, 1)
  })

  it('is invited, signs in by the link, adds a passkey, and signs in with it', async () => {
    const url = await namedServer()
    const somebody = await newWorkspace(url)
    const owner = await openPage(`${url}/console/people`, { as: somebody })
    await heading(owner.page, 'People')
    await button(owner.page, 'Invite').click()
    const dialog = owner.page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('E-mail address').fill('kim@example.com')
    await dialog.getByLabel('Name').fill('Kim')
    assert.deepEqual(await violationsInBothSchemes(owner.page), [])
    await dialog.getByRole('button', { name: 'Invite' }).click()
    const link = await owner.page.getByLabel('Link for Kim', { exact: true }).inputValue()
    await button(owner.page, 'Done').click()
    await row(owner.page, 'kim@example.com').getByText('never').waitFor()
    assert.deepEqual(await violationsInBothSchemes(owner.page), [])

    const { page, context, faults } = await openPage(`${url}/console/`)
    const protocol = await context.newCDPSession(page)
    await protocol.send('WebAuthn.enable')
    await protocol.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto(link)
    await page.getByText('signs you in as Kim').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Sign in').click()
    await heading(page, 'Overview')
    await button(page, 'Account').click()
    await page.getByRole('menuitem', { name: 'Your account' }).click()
    await heading(page, 'Your account')
    assert.equal(await page.getByRole('switch', { name: /worth a look once a week/ }).isDisabled(), true)
    await button(page, 'Add passkey').click()
    await page.getByRole('dialog').getByLabel('Name').fill('laptop')
    await button(page, 'Add').click()
    await row(page, 'laptop').getByText('never used').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Account').click()
    await page.getByRole('menuitem', { name: 'Confirm that it is you' }).click()
    await button(page, 'Use a passkey').click()
    await page.getByText('Confirmed for ten minutes.').waitFor()
    await button(page, 'Account').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await button(page, 'Sign in with a passkey').click()
    await heading(page, 'Your account')
    assert.deepEqual(faults, [])

    await owner.page.goto(`${url}/console/keys`)
    await owner.page.getByLabel('Person').selectOption('Kim')
    await owner.page.getByRole('button', { name: /^Kim added the passkey laptop/ }).waitFor()
    await owner.page.getByRole('button', { name: /created the workspace/ }).waitFor({ state: 'detached' })

    await owner.page.goto(`${url}/console/people`)
    await button(owner.page, 'Remove Kim').click()
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await owner.page.getByText('Kim was removed.').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
    assert.deepEqual(owner.faults, [])
  })

  it('sees which weekly mail is stored, when the list cannot be read or a change fails', async () => {
    const { server, visit } = await openConsole()
    const somebody = await newWorkspace(server.url)
    const { link = '' } = await somebody.owner.call(inviteOperator, { email: 'ann@example.com', role: 'admin' })
    const page = await signedInBy(link, visit)
    await page.route('**/v2/workspace/operators/*', (route) => route.fulfill({ status: 400, body: '{}' }))
    await page.goto(`${server.url}/console/account`)
    const mail = page.getByRole('region', { name: 'Weekly mail' })
    await mail.getByRole('alert').waitFor()
    await page.unroute('**/v2/workspace/operators/*')
    await page.reload()
    const weekly = mail.getByRole('switch')
    await weekly.waitFor()
    const stored = await weekly.isChecked()
    await page.route('**/v2/workspace/operators/update', (route) => route.fulfill({ status: 400, body: '{}' }))
    await weekly.click()
    await page.getByRole('alert').waitFor()
    await eventually('the stored value', async () => ((await weekly.isChecked()) === stored ? true : undefined))
    await page.unroute('**/v2/workspace/operators/update')
    await weekly.click()
    await eventually('the new value', async () => ((await weekly.isChecked()) === stored ? undefined : true))
  })

  it('who has signed in is not invited again, and the dialog says what to do instead', async () => {
    const { server, visit } = await openConsole()
    const somebody = await newWorkspace(server.url)
    const { link = '' } = await somebody.owner.call(inviteOperator, { email: 'max@example.com', role: 'support' })
    await signedInBy(link, visit)
    const owner = await visit('people', { as: somebody })
    await button(owner.page, 'Invite').click()
    const dialog = owner.page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('E-mail address').fill('max')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('E-mail must be an e-mail address', { exact: false }).waitFor()
    await dialog.getByLabel('E-mail address').fill('max@example.com')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('Change their role in the list of people.', { exact: false }).waitFor()
  })

  it('gives up the own role only after a confirmation', async () => {
    const { server, visit } = await openConsole()
    const somebody = await newWorkspace(server.url)
    const { link = '' } = await somebody.owner.call(inviteOperator, { email: 'ann@example.com', role: 'admin' })
    const page = await signedInBy(link, visit)
    await page.goto(`${server.url}/console/people`)
    const role = page.getByRole('combobox', { name: 'Role of ann@example.com' })
    await role.focus()
    await role.selectOption('support')
    const dialog = page.getByRole('dialog', { name: 'Change your own role' })
    await dialog.getByText('To be admin again, you need somebody else', { exact: false }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Cancel').click()
    await role.and(page.locator(':focus')).waitFor()
    assert.equal(await role.inputValue(), 'admin')
    await role.selectOption('support')
    await dialog.getByRole('button', { name: 'Become support' }).click()
    await page.getByText('Ask an admin or owner of this workspace.').first().waitFor()
  })

  it('with the role support does not see People, and the page names the roles that do', async () => {
    const { server, visit } = await openConsole()
    const somebody = await newWorkspace(server.url)
    const { link = '' } = await somebody.owner.call(inviteOperator, { email: 'sam@example.com', role: 'support' })
    const page = await signedInBy(link, visit)
    assert.equal(await page.getByRole('link', { name: 'People' }).count(), 0)
    await page.goto(`${server.url}/console/people`)
    await page.getByText('Ask an admin or owner of this workspace.').first().waitFor()
  })
})
