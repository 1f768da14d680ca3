/** Controls whose state is in the address show what was chosen at once: the address follows a moment later. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { it } from 'vitest'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

interface Control {
  type: string
  checked: boolean
  selectedIndex: number
  options: ArrayLike<unknown>
  click(): void
  dispatchEvent(event: Event): void
}

/** Chooses the last option, and returns what is shown before the browser does anything else, such as changing the address. */
const choose = (control: Locator): Promise<boolean> =>
  control.evaluate(async (element) => {
    const one = element as unknown as Control
    const isSelect = one.type === 'select-one'
    const last = isSelect ? one.options.length - 1 : 0
    if (isSelect) {
      one.selectedIndex = last
      one.dispatchEvent(new Event('change', { bubbles: true }))
    } else one.click()
    for (let turns = 0; turns < 10; turns++) await null
    return isSelect ? one.selectedIndex === last : one.checked
  })

const isChosen = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => {
    const one = element as unknown as Control
    return one.checked || one.selectedIndex > 0
  })

const CONTROLS: Readonly<Record<string, (page: Page) => Locator>> = {
  users: (page) => page.getByRole('checkbox', { name: 'Only disabled users' }),
  events: (page) => page.getByRole('radio', { name: '7 days' }),
  [address('changes', { organizationId })]: (page) => page.getByRole('radio', { name: 'Since yesterday' }),
  [address('threads', { organizationId })]: (page) => page.getByLabel('Status'),
  [address('migrations', { organizationId })]: (page) => page.getByLabel('Status'),
}

it('a control whose state is in the address shows what was chosen at once', async () => {
  const company = await newCompany(server)
  for (const [view, control] of Object.entries(CONTROLS)) {
    const { page, faults } = await visit(`keys/${company.apiKey}/${view}`, { as: company })
    await control(page).waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle')
    const before = page.url()
    assert.equal(await choose(control(page)), true, view)
    await page.waitForURL((url) => url.href !== before)
    await page.waitForLoadState('networkidle')
    assert.equal(await isChosen(control(page)), true, view)
    assert.deepEqual(faults, [])
  }
})

it('a control whose choice is withdrawn at once shows the one before', async () => {
  const company = await newCompany(server)
  const { page, faults } = await visit(`keys/${company.apiKey}/events?period=today`, { as: company })
  const [today, yesterday] = ['Today', 'Yesterday'].map((name) => page.getByRole('radio', { name }))
  assert.ok(today !== undefined && yesterday !== undefined)
  await today.waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  await page.evaluate(`for (const period of ['yesterday', 'today'])
    document.querySelector('input[name=period][value=' + period + ']').click()`)
  await page.waitForLoadState('networkidle')
  assert.deepEqual([await today.isChecked(), await yesterday.isChecked()], [true, false])
  assert.equal(new URL(page.url()).searchParams.get('period'), 'today')
  assert.deepEqual(faults, [])
})
