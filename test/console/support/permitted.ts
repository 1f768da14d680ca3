/** Opens the views of the console as somebody with a role or with scopes, and compares every action with the contract. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Operation, type Scope, scopeMissing } from '#contract/core/operation.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import { operationNamed } from '#contract/operations.ts'
import { isAtLeast, leastRolesOf, type OperatorRole, roleMissing } from '#contract/workspace/operator-roles.ts'

/** The visitor: an operator, or the holder of an auth token. */
export type Somebody = { role: OperatorRole; scopes?: undefined } | { scopes: readonly Scope[]; role?: undefined }

/** An element that calls operations. */
interface Action {
  needs: string
  least: OperatorRole
  /** Null for the key that is open, or for no key. */
  keyType: KeyType | null
  isRefused: boolean
  label: string
}

const ACTIONS = `[...document.querySelectorAll('[data-needs]')].map((element) => ({
  needs: element.dataset.needs,
  least: element.dataset.least ?? 'support',
  keyType: element.dataset.keyType ?? null,
  isRefused: element.matches('fieldset') ? element.disabled : element.getAttribute('aria-disabled') === 'true',
  label: (element.getAttribute('aria-label') ?? element.textContent).slice(0, 60),
}))`

/** Returns the words of the refusal of an operation; undefined if it is allowed. */
export function refusalOf(operation: Operation, who: Somebody, type: KeyType, least: OperatorRole = 'support') {
  if (who.role !== undefined) {
    const needed = leastRolesOf(operation)[type]
    if (!isAtLeast(who.role, needed)) return roleMissing(who.role, needed)
    return isAtLeast(who.role, least) ? undefined : roleMissing(who.role, least)
  }
  if (operation.scope === undefined) return 'You are signed in with an API key.'
  return who.scopes.includes(operation.scope) ? undefined : scopeMissing(operation.scope)
}

export interface Walk {
  /** The actions that differ from what the contract allows, with their views. */
  wrong: string[]
  /** The operations of all actions that were seen. */
  seen: Set<string>
}

interface WalkOptions {
  page: Page
  /** The address of the console. */
  url: string
  views: Readonly<Record<string, string>>
  who: Somebody
  type: KeyType
  /** Whether every enabled button is pressed as well, which is safe for somebody who may change nothing. */
  presses?: boolean
}

/** Opens every view, its menus and the actions on a selected row. */
export async function walk({ page, url, views, who, type, presses = false }: WalkOptions): Promise<Walk> {
  const wrong: string[] = []
  const seen = new Set<string>()
  const explained = new Set<string>()
  let view = ''
  page.on('response', (response) => {
    if (response.status() === 403) wrong.push(`${view}: refused ${new URL(response.url()).pathname}`)
  })

  async function open(): Promise<void> {
    await page.goto(`${url}/${views[view]}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
  }

  const isOfKey = (view: string) => /^keys\/ch/.test(views[view] ?? '')

  async function compare(): Promise<void> {
    for (const { needs, least, keyType, isRefused, label } of (await page.evaluate(ACTIONS)) as Action[]) {
      const names = needs.split(' ')
      const refusal = names
        .map((name) => refusalOf(operationNamed(name), who, keyType ?? (isOfKey(view) ? type : 'testing'), least))
        .find((one) => one !== undefined)
      for (const name of names) seen.add(name)
      if (isRefused !== (refusal !== undefined)) wrong.push(`${view}: “${label}” (${needs})`)
      else if (refusal !== undefined && !explained.has(needs)) {
        explained.add(needs)
        await assertSaid(page, needs, refusal, view)
      }
    }
  }

  for (view of Object.keys(views)) {
    await open()
    const box = page.locator('main tbody input[type=checkbox]').first()
    if (await box.isVisible()) await box.check()
    await compare()
    for (const menu of await distinct(page, 'main button[aria-haspopup=menu]:visible')) {
      await page.getByRole('button', { name: menu, exact: true }).first().click()
      await page.getByRole('menu').waitFor()
      await compare()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    if (presses) await pressEach()
  }
  return { wrong, seen }

  async function pressEach(): Promise<void> {
    const shown = page.url()
    const enabled = 'main button:visible:not([aria-haspopup]):not([aria-disabled=true]):not(:disabled)'
    for (const name of await distinct(page, enabled)) {
      const button = page.getByRole('button', { name, exact: true }).first()
      if (!(await button.isVisible()) || !(await button.isEnabled())) continue
      await button.dispatchEvent('click') // also below a header that sticks
      await page.waitForLoadState('networkidle')
      await compare()
      if (page.url() !== shown || (await page.getByRole('dialog').count()) > 0) await open()
    }
  }
}

/** Returns the names of buttons, one of each kind: buttons of rows begin with the same words. */
async function distinct(page: Page, selector: string): Promise<string[]> {
  const names = (await page
    .locator(selector)
    .evaluateAll((elements) =>
      elements.map((element) => element.getAttribute('aria-label') ?? element.textContent ?? ''),
    )) as string[]
  const kinds = new Map(names.filter(Boolean).map((name) => [name.split(/\s/).slice(0, 2).join(' '), name]))
  return [...kinds.values()]
}

/** Asserts that the reason of a disabled action is shown for it, or stands below its fields. */
async function assertSaid(page: Page, needs: string, refusal: string, view: string): Promise<void> {
  const element = page.locator(`[data-needs="${needs}"]:visible`).first()
  const isForm = (await page.locator(`fieldset[data-needs="${needs}"]`).count()) > 0
  if (!isForm && (await element.count()) === 0) return
  if (isForm) assert.ok((await page.getByText(refusal).count()) > 0, `${view}: ${needs}`)
  else {
    await element.hover()
    await page.getByRole('tooltip').filter({ hasText: refusal }).waitFor()
    await page.mouse.move(0, 0)
  }
}
