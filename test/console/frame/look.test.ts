/**
 * The look of every view: three weights of type, one grey in dark mode, at most one primary action, and a production
 * mark on every page of a production key, wide and on a phone, also while the view loads and while the server is
 * unreachable.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { createClient } from '#testing/client.ts'
import { ROOT } from '../../../scripts/root.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address } from '../support/company.ts'
import { openConsole } from '../support/console.ts'
import { newHostileCompany } from '../support/hostile.ts'
import { faultsOfLook, primaryActions } from '../support/look.ts'
import { newWorkspace, signInWithKey } from '../support/sign-in.ts'
import { button } from '../support/steps.ts'

const { server, visit } = await openConsole()

const WIDE = { width: 1280, height: 800 }
const TABLET = { width: 768, height: 1024 }
const PHONE = { width: 390, height: 844 }

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** A workspace with a production key that has one organization and one user, and its views from the routes of the console. */
async function newProduction() {
  const somebody = await newWorkspace(server.url)
  const { apiKey, authToken = '' } = await somebody.owner.call(createApiKey, {
    ...{ ownerEmail: 'ada@example.com', type: 'production', apiKeyName: 'Live', createAuthToken: true },
    planInfo: { type: 'production' },
  })
  const client = createClient(server.url).with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  await client.call(addOrganizations, { organizations: [{ organizationId: 'acme', organizationName: 'Acme' }] })
  await client.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada', accessRole: 'viewer' }] })
  const query = { organizationId: 'acme', type: 'organization', userId: 'ada' }
  const views = routesOfKey().map((route) => address(`keys/${apiKey}/${route.replace('$endpointId', 'raw')}`, query))
  return { somebody, apiKey, client, views }
}

/** The paths of the views of an API key, below it. */
function routesOfKey(): string[] {
  const router = readFileSync(path.join(ROOT, 'console/src/router.tsx'), 'utf8')
  const routes = [...router.matchAll(/getParentRoute: \(\) => (key|settings),\s+path: '([^']+)'/g)]
  const paths = routes.map(([, parent, route = '']) =>
    [...(parent === 'settings' ? ['settings'] : []), ...(route === '/' ? [] : [route])].join('/'),
  )
  assert.ok(paths.length > 15)
  return [...new Set(paths)]
}

const banner = (page: Page) => page.getByRole('banner')

async function saysProduction(page: Page, view: string): Promise<void> {
  for (const viewport of [TABLET, PHONE, WIDE]) {
    await page.setViewportSize(viewport)
    await banner(page).getByText('Production', { exact: true }).filter({ visible: true }).waitFor()
    const badge = banner(page).getByText('Production', { exact: true }).filter({ visible: true })
    const { x = -1, width = 0 } = (await badge.boundingBox()) ?? {}
    assert.ok(x >= 0 && x + width <= viewport.width, `${view}: the badge is cut off at ${viewport.width} pixels`)
    const account = (await page.getByRole('button', { name: 'Account' }).boundingBox()) ?? {
      x: viewport.width,
      width: 0,
    }
    assert.ok(account.x + account.width <= viewport.width, `${view}: the header is wider than ${viewport.width} pixels`)
  }
}

describe('the look of the console', () => {
  it('has three weights of type, one grey, and one primary action in every view', async () => {
    const company = await newHostileCompany(server)
    const { page } = await visit('', { as: company, colorScheme: 'dark' })
    const found: string[] = []
    for (const [view, to] of Object.entries(company.views)) {
      await page.goto(`${server.url}/console/${to}`)
      await settled(page)
      found.push(...(await faultsOfLook(page)).map((fault) => `${view}: ${fault}`))
    }
    assert.deepEqual(found, [])
  })

  it('has one primary action in every empty view of a production key, and each is marked as production', async () => {
    const { somebody, apiKey, views } = await newProduction()
    const { page, faults } = await visit('', { as: somebody })
    let withPrimary = 0
    for (const view of views) {
      await page.goto(`${server.url}/console/${view}`)
      await settled(page)
      await saysProduction(page, view)
      const primary = await primaryActions(page)
      assert.ok(primary.length <= 1, `${view}: ${primary}`)
      withPrimary += primary.length
    }
    assert.ok(withPrimary > 5)
    await page.goto(`${server.url}/console/keys/${apiKey}`)
    await settled(page)
    await page.setViewportSize(PHONE)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.goto(`${server.url}/console/keys/${somebody.apiKey}`)
    await settled(page)
    await banner(page).getByText('Testing', { exact: true }).filter({ visible: true }).waitFor()
    assert.equal(await banner(page).getByText('Production', { exact: true }).count(), 0)
    assert.deepEqual(faults, [])
  })

  it('marks production in every view while it loads, and while the server is unreachable', async () => {
    const { somebody, views } = await newProduction()
    const { page } = await visit('', { as: somebody })
    const ofView = (url: URL) => url.pathname.startsWith('/v2/') && !url.pathname.endsWith('/apikeys/get')
    await page.route(ofView, () => {}) // the calls of the view wait for their responses
    for (const view of views) {
      await page.goto(`${server.url}/console/${view}`)
      await page.locator('main').locator('h1, .mantine-Skeleton-root, .mantine-Loader-root').first().waitFor()
      await saysProduction(page, `${view} while loading`)
      const primary = await primaryActions(page)
      assert.ok(primary.length <= 1, `${view} while loading: ${primary}`)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.goto(`${server.url}/console/${views[0]}`)
    await settled(page)
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Groups', exact: true }).click()
    await page.getByText('The server is unreachable.', { exact: false }).waitFor()
    await saysProduction(page, 'while unreachable')
    await page.context().setOffline(false)
  })

  it('shows in every view what the server refused, and the production mark', async () => {
    const { somebody, apiKey, views } = await newProduction()
    const { authToken } = await somebody.owner.call(createAuthToken, { apiKey, name: 'writer', scopes: ['write'] })
    const { page } = await visit(`keys/${apiKey}`)
    await signInWithKey(page, { apiKey, authToken: authToken.token })
    for (const view of views) {
      await page.goto(`${server.url}/console/${view}`)
      await settled(page)
      const refused = page.getByText(/You do not have permission|You cannot see this|Only the workspace can do this/)
      await refused.first().waitFor()
      await saysProduction(page, view)
      const primary = await primaryActions(page)
      assert.ok(primary.length <= 1, `${view}: ${primary}`)
    }
  })

  it('marks production in each dialog that deletes or revokes, with one red button', async () => {
    const { somebody, apiKey } = await newProduction()
    const { page, faults } = await visit('', { as: somebody })
    const asks = async (dialog: string, action: string) => {
      const opened = page.getByRole('dialog', { name: dialog })
      await opened.getByText('This happens in production.').waitFor()
      assert.deepEqual(await primaryActions(page), [`${action}, red`], dialog)
      await page.keyboard.press('Escape')
      await opened.waitFor({ state: 'detached' })
    }
    const open = async (view: string) => {
      await page.goto(`${server.url}/console/${view}`)
      await settled(page)
    }
    const act = async (row: string, action: string) => {
      await button(page, `Actions for ${row}`).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await open('keys')
    await act('Live', 'Delete')
    await asks('Delete API key', 'Delete')
    await act('Live', 'Disable…')
    await asks('Disable API key', 'Disable')
    await open(`keys/${apiKey}/organizations`)
    await act('Acme', 'Disable…')
    await asks('Disable Acme', 'Disable')
    await act('Acme', 'Delete…')
    await asks('Delete organization', 'Delete')
    await open(address(`keys/${apiKey}/users/user`, { userId: 'ada' }))
    for (const [name, dialog, action] of [
      ['Disable…', 'Disable user', 'Disable'],
      ['Remove all access…', 'Remove all access of the user', 'Remove all access'],
      ['Erase…', 'Erase user', 'Erase'],
      ['Remove…', 'Remove the user from the organization', 'Remove'],
    ] as const) {
      await button(page, name).click()
      await asks(dialog, action)
    }
    await open(address(`keys/${apiKey}/access`, { organizationId: 'acme', type: 'organization', id: 'acme' }))
    await act('ada', 'Revoke grant')
    await page.getByRole('dialog').getByText('1 person loses access').first().waitFor()
    await asks('Revoke access', 'Apply')
    assert.deepEqual(faults, [])
  })
})
