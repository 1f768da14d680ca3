/**
 * Every view of the console, and every dialog of its row menus, on a phone and with the worst ids and names that callers
 * can choose: ids are shown verbatim, nothing runs, the layout holds, and the views stay accessible.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, it } from 'vitest'
import { ROOT } from '../../../scripts/root.ts'
import { violations, violationsInBothSchemes } from '../support/accessibility.ts'
import type { Visit } from '../support/browser.ts'
import { HOSTILE_IDS } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { HOSTILE_NAME, type HostileCompany, newHostileCompany } from '../support/hostile.ts'
import { misplaced } from '../support/layout.ts'
import { primaryActions } from '../support/look.ts'

const { server, visit } = await openConsole()
const ROUTER = path.join(ROOT, 'console/src/router.tsx')

/** Items that act immediately, or whose dialog begins with a list, which an Escape of its own closes; items that navigate are links. */
const NO_DIALOG = /^(Disable|Enable|Give access)/

/** The views whose row menus are opened; the other menus are the same. */
const WITH_MENUS = ['keys', 'organizations', 'resources', 'access to a document', 'profiles', 'groups']

/** Dialogs with lists to select from. */
const WITH_LISTS = [
  ['access to a document', 'Give access'],
  ['members of a group', 'Add members'],
] as const

let company: HostileCompany
let visited: Visit

beforeAll(async () => {
  company = await newHostileCompany(server)
  visited = await visit('', { viewport: { width: 390, height: 844 }, as: company })
})

async function open(view: string): Promise<Page> {
  const { page } = visited
  await page.goto(`${server.url}/console/${company.views[view]}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  return page
}

async function assertWhole(page: Page, where: string): Promise<void> {
  assert.deepEqual(await misplaced(page), [], where)
  assert.equal(await page.locator('img[src=x]').count(), 0, where)
  assert.notEqual(await page.title(), 'run', where)
  const primary = await primaryActions(page)
  assert.ok(primary.length <= 1, `${where}: ${primary}`)
  assert.deepEqual(visited.faults, [], where)
}

describe('hostile text', () => {
  it('is tested in every view', () => {
    const shown = Object.values(company.views).map((address) => address.split('?')[0])
    const routes = [...readFileSync(ROUTER, 'utf8').matchAll(/ path: '([^']+)'/g)].map(([, route = '']) => route)
    // The link for signing in redirects people who are signed in.
    for (const route of routes.filter((one) => one !== '/' && one !== 'sign-in/$place')) {
      const pattern = new RegExp(`(^|/)${route.replace(/\$\w+/g, '[^/]+')}$`)
      assert.ok(
        shown.some((address) => pattern.test(address ?? '')),
        route,
      )
    }
  })

  it('is shown verbatim in every view without breaking the layout, and never runs', async () => {
    for (const view of Object.keys(company.views)) {
      const page = await open(view)
      const text = await page.evaluate('document.body.textContent')
      const isShown = [HOSTILE_NAME, ...HOSTILE_IDS.slice(0, 3)].some((hostile) => String(text).includes(hostile))
      if (!['new key', 'overview', 'account'].includes(view)) assert.ok(isShown, view)
      assert.deepEqual(await violations(page), [], view) // the tests of each view check both colour schemes
      // No breadcrumb but the last is the current page.
      const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
      assert.equal(await crumbs.locator('a[aria-current]').count(), 0, view)
      await assertWhole(page, view)
    }
  })

  it('is shown verbatim in open lists', async () => {
    for (const [view, name] of WITH_LISTS) {
      const page = await open(view)
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog').getByRole('combobox').first().press('ArrowDown')
      await page.getByRole('listbox').getByRole('option').first().waitFor()
      await assertWhole(page, `${view}: ${name}`)
      assert.deepEqual(await violationsInBothSchemes(page), [], name)
    }
  })

  it('is shown verbatim in row menus and their dialogs', async () => {
    for (const view of WITH_MENUS) {
      const page = await open(view)
      const menu = page.getByRole('button', { name: /^Actions for/ }).first()
      await menu.click()
      const items = await page.locator('[role=menuitem]:not(a)').allInnerTexts()
      await assertWhole(page, `${view}: menu`)
      await page.keyboard.press('Escape')
      for (const name of items.filter((item) => !NO_DIALOG.test(item))) {
        await menu.click()
        await page.getByRole('menuitem', { name, exact: true }).click()
        await page.getByRole('dialog').waitFor()
        await assertWhole(page, `${view}: ${name}`)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await menu.and(page.locator(':focus')).waitFor() // the focus returns
      }
    }
  })
})
