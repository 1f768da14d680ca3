/** Signing in to the console with a link that was sent by mail. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { createClient } from '#testing/client.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'
import { button } from '../support/steps.ts'

const inbox = await startMailServer()
const { server, visit } = await openConsole({ SMTP_URL: inbox.url, MAIL_FROM: 'mail@example.com' })

const stored = (page: Page) =>
  page.evaluate('JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie])')

describe('a link to sign in', () => {
  it('is requested on the sign-in page, and signs in once, with a button', async () => {
    const email = `console-link${process.pid}@example.com`
    await createClient(server.url).call(createWorkspace, { ownerEmail: email })
    const { page, faults } = await visit()
    await button(page, 'Sign in with a link by e-mail').click()
    await page.getByLabel('E-mail address of the operator').fill('nobody')
    await button(page, 'Send me a link').click()
    await page.getByRole('alert').getByText('must be an e-mail address').waitFor()
    await page.getByLabel('E-mail address of the operator').fill(email)
    await button(page, 'Send me a link').click()
    await page.getByText('If this is the address of an operator, a link was sent to it.').waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])

    const [link = ''] = /http\S+#link=\S+/.exec((await inbox.mailTo(email)).text ?? '') ?? []
    await page.goto(link)
    await page.getByText('It works once.', { exact: false }).waitFor()
    assert.doesNotMatch(String(await stored(page)), /link=/)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.deepEqual(faults, [])

    const again = await visit()
    await again.page.goto(link)
    await again.page
      .getByRole('alert')
      .getByText('This link was used already, was replaced by another one, or has expired.')
      .waitFor()
    await button(again.page, 'Do not use the link').click()
    await again.page.getByLabel('Workspace id').waitFor()
  })

  it('is not needed for the credentials of a new workspace: the console says that none was sent', async () => {
    const { page, faults } = await visit()
    await page.route('**/operators/invite', (route) => route.abort())
    await button(page, 'No workspace yet?').click()
    await page.getByLabel('Your e-mail address').fill(`console-owner${process.pid}@example.com`)
    await button(page, 'Create a workspace').click()
    await page.getByText(/No link to sign in as yourself was sent: /).waitFor()
    assert.match(await page.getByRole('region', { name: 'Workspace token' }).innerText(), /^chw_\w+$/)
    await button(page, 'Continue to the console').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('is not shown to the inviter: it is sent only to the address', async () => {
    const somebody = await newWorkspace(server.url)
    const { page, faults } = await visit('people', { as: somebody })
    await button(page, 'Invite').click()
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    const email = `invited${process.pid}@example.com`
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    const invited = page.getByRole('dialog', { name: 'Person invited' })
    await invited.getByText(`A link is sent to ${email}.`, { exact: false }).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const [link = ''] = /#link=[\w-]{43}/.exec((await inbox.mailTo(email)).text ?? '') ?? []
    assert.ok(link !== '' && !(await page.content()).includes(link))
    await invited.getByRole('button', { name: 'Done' }).click()
    await page.getByText(email).first().waitFor()
    assert.deepEqual(faults, [])
  })
})
