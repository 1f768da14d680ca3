/** The first visit on one's own machine: from the printed link to a console that is signed in, with two clicks. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getKeyConfig } from '#contract/keys/key-config.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { createClient } from '#testing/client.ts'
import { ensureConsole } from '#testing/processes/build.ts'
import { startProcess, temporaryFolder } from '#testing/processes/process.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { button, heading } from '../support/steps.ts'

await ensureConsole()

const shown = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).innerText()
const PHONE = { viewport: { width: 390, height: 844 } }

/** Starts an embedded server of its own, and returns the link that it prints. */
async function firstStart() {
  const { output, url } = await startProcess({ DATA_DIR: temporaryFolder(), SIGNUP: '' })
  const [link = ''] = /http\S+#welcome=\S+/.exec(output.stderr) ?? []
  return { link, url }
}

/** Follows the page in an empty folder, without a registry; returns the output of the code. */
async function runAsShown(install: string, env: string, code: string): Promise<string> {
  const cwd = temporaryFolder()
  writeFileSync(path.join(cwd, 'package.json'), '{}')
  writeFileSync(path.join(cwd, '.env'), env)
  writeFileSync(path.join(cwd, 'app.mjs'), code)
  const shell = { cwd, env: { ...process.env, npm_config_offline: 'true' } }
  await promisify(execFile)('sh', ['-ec', install], shell)
  const { stdout } = await promisify(execFile)(process.execPath, ['--env-file=.env', 'app.mjs'], { cwd, env: {} })
  return stdout
}

describe('the link that the server prints', () => {
  it('creates a workspace, shows what to copy into an app, and opens the console, with two clicks', async () => {
    const { link, url } = await firstStart()
    const { page, faults } = await openPage(link)
    await heading(page, 'Welcome to Commonhold')
    assert.equal(page.url(), `${url}/console/`)
    assert.equal(await page.getByLabel('Workspace name').inputValue(), 'My workspace')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal(await page.getByRole('radio', { name: 'Restricted' }).isChecked(), true)
    await button(page, 'Create workspace').click()

    await heading(page, 'Your workspace is ready')
    const env = await shown(page, 'For your app')
    const [, address, apiKey = '', token = ''] =
      /^COMMONHOLD_URL=(\S+)\nCOMMONHOLD_API_KEY=(\w+)\nCOMMONHOLD_AUTH_TOKEN=(\w+)$/.exec(env) ?? []
    assert.equal(address, url)
    const app = createClient(url, { 'x-service-api-key': apiKey, 'x-service-auth-token': token })
    assert.deepEqual(await app.call(getOrganizations, {}), [])
    assert.equal((await app.call(getKeyConfig, {})).defaultDocumentAccessType, 'restricted')
    const [install, code] = [await shown(page, 'Install the client'), await shown(page, 'In your code')]
    assert.match(await runAsShown(install, env, code), /\bid: 'acme'/)
    assert.match(await shown(page, 'Workspace token'), /^chw_\w+$/)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Open the console').click()

    await heading(page, 'Overview')
    await page.reload()
    await heading(page, 'Overview')
    await button(page, 'Account').click()
    await page.getByText(/, owner$/).waitFor()
    assert.deepEqual(faults, [])
    assert.doesNotMatch(
      String(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')),
      /ch[tw]_/,
    )

    const again = await openPage(link)
    await again.page.getByRole('alert').getByText('This link was used already').waitFor()
    await button(again.page, 'Sign in').click()
    await again.page.getByLabel('Workspace id').waitFor()
  })

  it('works with the keyboard alone and on a phone, and accepts only a valid address', async () => {
    const { link } = await firstStart()
    const { page, faults } = await openPage(link, PHONE)
    await page.getByLabel('Your e-mail address (optional)').fill('ada')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('must be an e-mail address').waitFor()
    await page.getByLabel('Your e-mail address (optional)').fill('ada@example.com')
    await page.keyboard.press('Enter')
    await heading(page, 'Your workspace is ready')
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= PHONE.viewport.width)
    // A second Enter must not hide the secrets.
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Your workspace is ready')
    await button(page, 'Open the console').focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Overview')
    assert.deepEqual(faults, [])
  })
})
