/** Exporting an API key in the console, and importing the file into another: preview, progress, report, refusals, interruption. */
import assert from 'node:assert/strict'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { exportKey } from '#moving/export/export.ts'
import { createClient } from '#sdk/client.ts'
import { eventually } from '#testing/eventually.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const folder = temporaryFolder()
const organizationId = 'acme'
const EVIL = '<img src=x onerror=alert(1)>'

const open = async (somebody: Somebody) => {
  const opened = await visit(`keys/${somebody.apiKey}/settings/moving`, { as: somebody })
  await button(opened.page, 'Export').waitFor()
  return opened
}

const user = (n: number) => JSON.stringify({ record: 'user', userId: `u${n}` })
const exportOfUsers = (lines: readonly string[]) =>
  ['{"record":"export","format":1,"of":"apiKey"}', ...lines, `{"record":"end","records":${lines.length}}`, ''].join(
    '\n',
  )

/** Waits until the focus is on a part of the view with the text. */
const focusOn = (page: Page, text: RegExp) =>
  eventually(`the focus on ${text}`, async () =>
    text.test(String(await page.evaluate('document.activeElement.textContent'))) ? true : undefined,
  )

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

async function filled(): Promise<Somebody> {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  const documents = Array.from({ length: 300 }, (_, n) => ({ documentId: `d${n}`, documentName: `${EVIL} ${n}` }))
  await client.call(addDocuments, { organizationId, createOrganization: true, documents })
  await client.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada' }] })
  await client.call(addGrants, { grants: [{ userId: 'ada', type: 'document', id: 'd1', organizationId }] })
  return somebody
}

/** Returns the export of the command line. */
async function exportOf({ client }: Somebody): Promise<string> {
  const apiKey = client.headers['x-service-api-key'] ?? ''
  const authToken = client.headers['x-service-auth-token'] ?? ''
  let text = ''
  await exportKey(createClient({ url: server.url, apiKey, authToken }), {
    write: async (part) => {
      text += part
    },
  })
  return text
}

async function save(name: string, text: string): Promise<string> {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

/** Chooses a file; the input itself is hidden behind a button. */
const choose = (page: Page, file: string) => page.locator('input[type=file]').setInputFiles(file)

describe('an export in the console', () => {
  it('saves the file that the command line would write', async () => {
    const somebody = await filled()
    const { page, faults } = await open(somebody)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()])
    const file = path.join(folder, 'export.ndjson')
    await download.saveAs(file)
    assert.match(download.suggestedFilename(), /^commonhold chk_.*\.ndjson$/)
    assert.equal(readFileSync(file, 'utf8'), await exportOf(somebody))
    await page.getByText(/^Saved \d+ records, \d+ kB\.$/).waitFor()
    assert.deepEqual(faults, [])
  })
})

describe('an import in the console', () => {
  it('shows a preview and changes nothing, then imports exactly the contents of the file', async () => {
    const text = await exportOf(await filled())
    const target = await newWorkspace(server.url)
    const { page, faults } = await open(target)
    await choose(page, await save('good.ndjson', text))
    await page.getByText(/^\d+ records can be imported, 0 refused\.$/).waitFor()
    await page.getByText(/300 documents/).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    assert.equal((await target.client.post(getDocuments.path, { organizationId })).http, 404)
    await page.setViewportSize({ width: 390, height: 844 })
    const fits = async () =>
      (await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')) || undefined
    await eventually('a page as wide as the phone', fits)
    await button(page, /^Import \d+ records$/).click()
    await page.getByText(/^\d+ records imported, 0 refused\.$/).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await eventually('a page as wide as the phone', fits)
    assert.equal(await exportOf(target), text)
    assert.deepEqual(faults, [])
  })

  it('names refused lines before and after, saves them, and imports the others; text is shown as plain text', async () => {
    const text = await exportOf(await filled())
    const lines = text.split('\n')
    const at = lines.findIndex((line) => line.includes('"record":"document"'))
    lines[at] = `{"record":"document","organizationId":"acme","documentId":"d0","${EVIL}":1,"accessType":"open"}`
    lines[at + 1] = '{"record":'
    const target = await newWorkspace(server.url)
    const { page, faults } = await open(target)
    await choose(page, await save('bad.ndjson', lines.join('\n')))
    await page.getByText(/ can be imported, 2 refused\.$/).waitFor()
    const refused = page.getByRole('table', { name: 'Refused lines' })
    for (const line of [at + 1, at + 2]) await refused.getByRole('cell', { name: String(line), exact: true }).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save refused lines').click()])
    const file = path.join(folder, 'refused.ndjson')
    await download.saveAs(file)
    const saved = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).line)
    assert.deepEqual(saved, [at + 1, at + 2])
    await button(page, /^Import \d+ records$/).click()
    await page.getByText(/ imported, 2 refused\.$/).waitFor()
    assert.equal((await target.client.call(getDocuments, { organizationId })).length, 298)
    assert.deepEqual(faults, [])
  })

  it('refuses other files, and says why', async () => {
    const { page } = await open(await newWorkspace(server.url))
    await choose(page, await save('other.ndjson', 'name,email\nAda,ada@example.com\n'))
    await page
      .getByRole('alert')
      .getByText(/^The file is not an export/)
      .waitFor()
    await page.getByText('Is it the right file? CSV is imported on the command line.').waitFor()
    assert.equal(await button(page, /^Import/).count(), 0)
    await choose(page, await save('workspace.ndjson', '{"record":"export","format":1,"of":"workspace"}\n'))
    await page.getByText('Import it on the command line, or export the API key alone.').waitFor()
  })

  it('refuses a file that was changed since it was checked, and imports it when it is chosen again', async () => {
    const { page } = await open(await newWorkspace(server.url))
    const file = await save('changed.ndjson', exportOfUsers([user(1)]))
    await choose(page, file)
    await button(page, 'Import 1 record').waitFor()
    writeFileSync(file, exportOfUsers([user(1), user(2)]))
    await button(page, 'Import 1 record').click()
    await page.getByRole('alert').getByText('Choose it again.').waitFor()
    await choose(page, file)
    await button(page, 'Import 2 records').click()
    await page.getByText('2 records imported, 0 refused.').waitFor()
  })

  it('refuses what was not checked in a browser that reads a changed file, as Firefox does', async () => {
    const target = await newWorkspace(server.url)
    const { page } = await open(target)
    await choose(page, await save('read-again.ndjson', exportOfUsers([user(1)])))
    await button(page, 'Import 1 record').waitFor()
    await page.evaluate(`{
      const changed = new Blob([${JSON.stringify(exportOfUsers([user(2)]))}])
      for (const name of ['slice', 'stream']) {
        const read = Blob.prototype[name]
        File.prototype[name] = (...range) => read.apply(changed, range)
      }
    }`)
    await button(page, 'Import 1 record').click()
    await page.getByRole('alert').getByText('Choose it again.').waitFor()
    assert.deepEqual((await target.client.call(listProfiles, {})).profiles, [])
  })

  it('continues where it was interrupted, in the same browser, and reports the complete import', async () => {
    const users = Array.from({ length: 9_000 }, (_, n) => user(n))
    users[9] = '{"record":'
    const write = async (text: string) => {
      const file = await save('long.ndjson', text)
      utimesSync(file, 1_700_000_000, 1_700_000_000)
      return file
    }
    const file = await write(exportOfUsers(users))
    const target = await newWorkspace(server.url)
    const { page, faults } = await open(target)
    let calls = 0
    // The third portion hangs until the page is left.
    await page.route('**/v2/users/profiles/set', async (route) => {
      calls += JSON.parse(route.request().postData() ?? '{}').data.users.length
      if (calls > 4_000) return
      await route.continue()
    })
    await choose(page, file)
    await button(page, 'Import 8,999 records').click()
    await page.getByRole('progressbar', { name: 'Importing' }).waitFor()
    await focusOn(page, /^Importing: /)
    await page.getByText(/Keep this page open/).waitFor()
    const kept = `Object.keys(localStorage).filter((name) => name.includes(' import ')).map((name) => JSON.parse(localStorage[name]).line)[0]`
    await eventually('two portions', async () => ((await page.evaluate(kept)) === 4_001 ? true : undefined))
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Leave this page?' })
    await question.getByText(/^The import stops here/).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Cancel').last().click()
    await question.waitFor({ state: 'detached' })
    await page.getByRole('progressbar', { name: 'Importing' }).waitFor()
    await button(page, 'Account').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const signingOut = page.getByRole('dialog', { name: 'Sign out?' })
    await signingOut.getByText(/^The import stops here.* import the whole file again/).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await signingOut.getByRole('button', { name: 'Cancel' }).click()
    await signingOut.waitFor({ state: 'detached' })
    await page.getByRole('progressbar', { name: 'Importing' }).waitFor()
    await button(page, 'Cancel').click()
    await page.getByText(/^Interrupted\. What was imported stays/).waitFor()
    await focusOn(page, /^Interrupted\./)
    await page.unroute('**/v2/users/profiles/set')
    await page.reload()
    // A file of the same name, size and date that begins differently is another one.
    await choose(page, await write(exportOfUsers(users).replace('"u0"', '"v0"')))
    await button(page, 'Import 8,999 records').waitFor()
    assert.equal(await button(page, /^Continue/).count(), 0)
    await choose(page, await write(exportOfUsers(users)))
    await page.getByText(/^An import of this file was interrupted after line 4,001$/).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    let again = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/v2/users/profiles/set'))
        again += JSON.parse(request.postData() ?? '{}').data.users.length
    })
    await button(page, 'Continue after line 4,001').click()
    await page.getByText('8,999 records imported, 1 refused.').waitFor()
    await focusOn(page, /^8,999 records imported/)
    await page.getByText('In the file: 8,999 users.').waitFor()
    await page.getByRole('table', { name: 'Refused lines' }).getByRole('cell', { name: '11', exact: true }).waitFor()
    await button(page, 'Save refused lines').waitFor()
    assert.equal(again, 5_000)
    assert.equal((await exportOf(target)).split('"record":"user"').length - 1, 8_999)
    assert.deepEqual(faults, [])
  })

  it('stops at a sign-out that is confirmed', async () => {
    const target = await newWorkspace(server.url)
    const { page, faults } = await open(target)
    await page.route('**/v2/users/profiles/set', () => {})
    await choose(page, await save('left.ndjson', exportOfUsers([user(1)])))
    await button(page, 'Import 1 record').click()
    await page.getByText(/Keep this page open/).waitFor()
    await button(page, 'Account').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Sign out?' }).getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).first().waitFor()
    assert.equal((await exportOf(target)).includes('"record":"user"'), false)
    assert.deepEqual(faults, [])
  })
})
