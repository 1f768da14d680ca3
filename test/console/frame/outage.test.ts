/** A restart of the server, as for a new version: open pages recover, and started work continues. */
import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { listEvents } from '#contract/events/events.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { ensureConsole } from '#testing/processes/build.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { announceStart } from '../../../server/starting.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { newWorkspace, type Somebody, signIn } from '../support/sign-in.ts'
import { button, row } from '../support/steps.ts'

await ensureConsole()
const banner = (page: Page) => page.getByText('The server is unreachable.', { exact: false })
const event = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })
const field = (page: Page) => page.getByRole('textbox', { name: 'Id', exact: true })

/** A server in its own process that can be restarted at the same address with the same data. */
async function startLasting() {
  const store = await createLastingStore()
  const first = await startProcess(store.settings)
  const { url } = first
  const start = () => startProcess({ ...store.settings, PORT: new URL(url).port })
  return { url, first, start }
}

/** Opens a view in the browser context of the signed-in user. */
async function openView(context: BrowserContext, url: string, { apiKey }: Somebody, view: string, title: string) {
  const page = await context.newPage()
  await page.goto(`${url}/console/keys/${apiKey}/${view}`)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  return page
}

describe('when the server stops and starts again', () => {
  it('every view reports it and recovers, nobody is signed out, and input is kept', async () => {
    const { url, first, start } = await startLasting()
    const somebody = await newWorkspace(url)
    await somebody.client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const documents = ['roadmap', 'taken'].map((documentId) => ({ documentId }))
    await somebody.client.call(addDocuments, { organizationId: 'acme', documents })
    const { page: organizations, context, faults } = await openPage(`${url}/console/`)
    await signIn(organizations, somebody)
    await organizations.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    await row(organizations, 'acme').waitFor()
    await button(organizations, 'Add organization').click()
    await field(organizations).fill('while-down')
    const events = await openView(context, url, somebody, 'events', 'Events')
    await event(events, 'taken').waitFor()
    const migrations = await openView(context, url, somebody, 'migrations', 'Migrations')
    await migrations.getByRole('combobox', { name: 'Document', exact: true }).fill('roadmap')
    await migrations.getByLabel('New id').fill('roadmap-2027')

    await first.kill('SIGTERM')
    await banner(events).waitFor() // this view follows changes, so it notices by itself
    await button(organizations, 'Add').click()
    await banner(organizations).waitFor()
    await organizations.getByRole('dialog').getByText('The server is unavailable').waitFor()
    const said = await organizations.getByRole('dialog').getByRole('alert').innerText()
    assert.match(said, /Your browser cannot reach the server/)
    assert.doesNotMatch(said, /http:|fetch|url/)
    assert.equal(await field(organizations).inputValue(), 'while-down')
    assert.deepEqual(await violationsInBothSchemes(organizations), [])
    await button(migrations, 'Dry run').click()
    await banner(migrations).waitFor()
    await migrations.getByRole('link', { name: 'Groups' }).hover() // the code of this view cannot be loaded

    await start()
    for (const page of [organizations, events, migrations]) await banner(page).waitFor({ state: 'detached' })
    const [lost] = await somebody.client.call(getOrganizations, { organizationIds: ['while-down'] })
    assert.partialDeepStrictEqual(lost, { code: 'not-found' }) // nothing was sent without anybody's action
    await button(organizations, 'Add').click()
    await row(organizations, 'while-down').waitFor()
    await event(events, 'while-down').waitFor()
    assert.equal(await event(events, 'while-down').count(), 1)
    assert.equal(await migrations.getByLabel('New id').inputValue(), 'roadmap-2027')
    await button(migrations, 'Dry run').click()
    await migrations.getByText('Migration would succeed').waitFor()
    await migrations.getByRole('link', { name: 'Groups' }).click()
    await migrations.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()
    const others = faults.filter((fault) => !/Failed to fetch dynamically imported module: \S+groups-view/.test(fault))
    assert.deepEqual(others, [])
  })

  it('an idle page sends few requests, covers nothing, and recovers without a reload', async () => {
    const { url, first, start } = await startLasting()
    const somebody = await newWorkspace(url)
    await somebody.client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    const { page, context, faults } = await openPage(`${url}/console/keys/${somebody.apiKey}/organizations`)
    await signIn(page, somebody)
    await row(page, 'acme').waitFor()
    await page.evaluate('window.wasLoadedOnce = true')
    const calls: string[] = []
    page.on('request', (request) => calls.push(request.url()))
    await first.kill('SIGKILL')
    await banner(page).waitFor()
    const before = calls.length
    assert.ok(before <= 2, calls.join(' ')) // the call that failed, and a probe
    await page.waitForTimeout(15_000)
    assert.ok(calls.length - before <= 6, calls.join(' '))
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const below = ['Account', 'Colour scheme'].map((name) => page.getByRole('button', { name }))
      const said = await banner(page).boundingBox()
      for (const part of [...below, page.getByRole('heading', { level: 1 })]) {
        const box = await part.boundingBox()
        assert.ok(
          said !== null && box !== null && box.y >= said.y + said.height,
          `${width} ${JSON.stringify([said, box])}`,
        )
      }
    }
    await page.setViewportSize({ width: 1280, height: 720 })

    const other = await context.newPage()
    const starting = await announceStart({ HOST: '127.0.0.1', PORT: Number(new URL(url).port) })
    cleanUp(starting.close)
    await button(page, 'Try now').click() // it responds, but is not ready
    await other.goto(`${url}/console/keys/${somebody.apiKey}/organizations`)
    await other.getByRole('heading', { name: 'Commonhold is starting' }).waitFor()
    await banner(page).waitFor()
    await starting.close()
    await start()
    await row(other, 'acme').waitFor()
    await page.evaluate('dispatchEvent(new Event("online"))') // as after waking up
    await banner(page).waitFor({ state: 'detached' })
    await row(page, 'acme').waitFor()
    assert.equal(await page.evaluate('window.wasLoadedOnce'), true)
    assert.deepEqual(faults, [])
  })

  it('a list that is not loaded yet is loading, and not empty', async () => {
    const { url, first } = await startLasting()
    const somebody = await newWorkspace(url)
    const { page } = await openPage(`${url}/console/`)
    await signIn(page, somebody)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).hover() // loads the code of the view
    await page.waitForLoadState('networkidle')
    await first.kill('SIGTERM')
    await banner(page).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Organizations' }).click()
    const said = page.getByRole('main').getByRole('status')
    await said.getByText('Loading…').waitFor()
    await page.waitForTimeout(3_000)
    assert.match((await said.allInnerTexts()).join(), /Loading…/)
  })

  it('a started migration continues, is shown to its end, and was started only once', async () => {
    const { url, first, start } = await startLasting()
    const somebody = await newWorkspace(url)
    await somebody.client.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
    await somebody.client.call(addDocuments, { organizationId: 'acme', documents: [{ documentId: 'roadmap' }] })
    const { page, context, faults } = await openPage(`${url}/console/keys/${somebody.apiKey}/migrations`)
    await signIn(page, somebody)
    await page.getByRole('combobox', { name: 'Document', exact: true }).fill('roadmap')
    await page.getByLabel('New id').fill('roadmap-2027')
    await button(page, 'Dry run').click()
    await page.getByText('Migration would succeed').waitFor()
    const started = page.waitForResponse('**/documents/migrate')
    await button(page, 'Start migration').click()
    await started
    await first.kill('SIGKILL')
    await banner(page).waitFor()
    await start()
    await banner(page).waitFor({ state: 'detached' })
    await row(page, 'roadmap-2027').getByText('completed').waitFor()
    const { events } = await somebody.client.call(listEvents, { types: ['document.migration.started'] })
    assert.equal(events.length, 1)
    assert.equal((await context.cookies()).length, 1)
    assert.deepEqual(faults, [])
  })
})
