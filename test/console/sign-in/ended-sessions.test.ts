/**
 * A session that ends while a page is open: the page keeps what was typed until the same person has signed in again, and gives
 * it to nobody else.
 */
import assert from 'node:assert/strict'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getEmailConfig } from '#contract/keys/service-configs.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { createClient } from '#testing/client.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody, signedIn, signedInWithKey } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const again = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' })
const company = (page: Page) => page.getByLabel('From company')

async function endSession(context: BrowserContext): Promise<void> {
  const [cookie] = await context.cookies()
  await fetch(`${server.url}/console/session/end`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-service-session': 'console' },
      cookie: `${cookie?.name}=${cookie?.value}`,
    },
    body: '{"data":{}}',
  })
}

async function signInAgain(page: Page, { workspaceToken }: Somebody): Promise<void> {
  await again(page).getByLabel('Workspace token', { exact: true }).fill(workspaceToken)
  await again(page).getByRole('button', { name: 'Sign in', exact: true }).click()
  await again(page).waitFor({ state: 'detached' })
}

describe('a session that ends', () => {
  it('keeps the settings that were typed, and saves them once the same person has signed in again', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, context, faults } = await visit(`keys/${somebody.apiKey}/settings/email`, { as: somebody })
    await company(page).fill('Larkspur')
    await endSession(context)
    await page.getByRole('form', { name: 'E-mail' }).getByRole('button', { name: 'Save' }).click()
    await again(page).getByLabel('Workspace token', { exact: true }).and(page.locator(':focus')).waitFor()
    assert.equal(await again(page).getByLabel('Workspace id').inputValue(), somebody.workspaceId)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await again(page).getByLabel('Workspace token', { exact: true }).fill('wrong')
    await again(page).getByRole('button', { name: 'Sign in', exact: true }).click()
    await again(page).getByRole('alert').getByText('do not match').waitFor()
    await signInAgain(page, somebody)
    await page
      .getByRole('form', { name: 'E-mail' })
      .getByRole('button', { name: 'Discard' })
      .waitFor({ state: 'detached' })
    assert.equal(await company(page).inputValue(), 'Larkspur')
    assert.equal((await somebody.client.call(getEmailConfig, {})).emailServiceConfig.fromCompany, 'Larkspur')
    assert.equal(await page.getByText('You are no longer signed in').count(), 0)
    assert.deepEqual(faults, [])
  })

  it('keeps an open dialog, which Escape does not close below the other one', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, context, faults } = await visit(`keys/${somebody.apiKey}/organizations`, { as: somebody })
    await page.getByRole('button', { name: 'Add organization' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add organization' })
    await dialog.getByLabel('Id').fill('larkspur')
    await endSession(context)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await again(page).waitFor()
    for (const _ of [1, 2]) await page.keyboard.press('Escape')
    await again(page).waitFor()
    await signInAgain(page, somebody)
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('larkspur').first().waitFor()
    assert.deepEqual(Object.keys(await somebody.client.call(getOrganizations, {})).length, 1)
    assert.deepEqual(faults, [])
  })

  it('gives another person nothing of what was typed, and sends nothing for them', async () => {
    const [ada, bob] = [await newWorkspace(server.url), await newWorkspace(server.url)]
    const { page, context, faults } = await visit(`keys/${ada.apiKey}/settings/email`, { as: ada })
    await company(page).fill('Larkspur')
    await endSession(context)
    await page.getByRole('form', { name: 'E-mail' }).getByRole('button', { name: 'Save' }).click()
    await again(page).waitFor()
    const sent: string[] = []
    context.on('request', (request) => sent.push(request.postData() ?? ''))
    await context.addCookies((await signedIn(server.url, bob)).cookies)
    const second = await context.newPage()
    await second.goto(`${server.url}/console/`)
    await second.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/keys/${bob.apiKey}`)
    assert.doesNotMatch(sent.join(), /Larkspur/)
    assert.deepEqual(faults, [])
  })

  it('gives another person no page of a session that they have replaced', async () => {
    const [ada, bob] = [await newWorkspace(server.url), await newWorkspace(server.url)]
    const { page, context } = await visit(`keys/${ada.apiKey}/settings/email`, { as: ada })
    await company(page).fill('Larkspur')
    await context.addCookies((await signedIn(server.url, bob)).cookies)
    const second = await context.newPage()
    await second.goto(`${server.url}/console/`)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/keys/${bob.apiKey}`)
  })

  it('sends nothing for another person of whom this tab has not been told', async () => {
    const ada = await newWorkspace(server.url)
    const { page, context } = await visit(`keys/${ada.apiKey}/settings/email`, { as: ada })
    await company(page).fill('Larkspur')
    await context.addCookies((await signedInWithKey(server.url, ada)).cookies)
    const save = page.getByRole('form', { name: 'E-mail' }).getByRole('button', { name: 'Save' })
    const left = page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    // A call that the page makes by itself may be refused before this one.
    await Promise.race([save.click().catch(() => {}), left])
    await left
    assert.equal((await ada.client.call(getEmailConfig, {})).emailServiceConfig.fromCompany, '')
  })

  it('continues when an operator has signed in again in another tab, with a link', async () => {
    const inbox = await startMailServer()
    const mailing = await openConsole({ SMTP_URL: inbox.url, MAIL_FROM: 'mail@example.com' })
    const email = `ended-session${process.pid}@example.com`
    await createClient(mailing.server.url).call(createWorkspace, { ownerEmail: email })
    const { page, context, faults } = await mailing.visit()
    async function enter(form: Locator): Promise<Page> {
      await form.getByLabel('E-mail address of the operator').fill(email)
      await form.getByRole('button', { name: 'Send me a link' }).click()
      const [link = ''] = /http\S+#link=\S+/.exec((await inbox.mailTo(email)).text ?? '') ?? []
      inbox.mails.length = 0
      const opened = await context.newPage()
      await opened.goto(link)
      await opened.getByRole('button', { name: 'Sign in', exact: true }).click()
      await opened.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      return opened
    }
    await page.getByRole('button', { name: 'Sign in with a link by e-mail' }).click()
    const url = (await enter(page.locator('main'))).url()
    await page.goto(`${url}/settings/email`)
    await company(page).fill('Larkspur')
    await context.clearCookies()
    await page.getByRole('form', { name: 'E-mail' }).getByRole('button', { name: 'Save' }).click()
    await again(page).waitFor()
    assert.equal(await again(page).getByLabel('Workspace token').count(), 0) // it would sign in somebody else
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await enter(again(page))
    await again(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    assert.equal(await company(page).inputValue(), 'Larkspur')
    assert.deepEqual(faults, [])
  })
})
