/**
 * Pickers work with the keyboard at the speed of typing: Enter takes the highlighted option, and waits for the results
 * of the typed text.
 */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { until } from '#testing/eventually.ts'
import { FULL } from '#testing/run/mode.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()
const company = await newCompany(server)
await company.documents('plans', { documentId: 'd-17', documentName: 'Film budget' })
await company.client.call(addUserGroups, {
  organizationId,
  organizationUserGroups: [{ groupId: 'design', groupName: 'Designers' }],
})
await company.client.call(setProfiles, { users: [{ userId: 'u-9', name: 'Adam Smith' }] })

const SEARCH = '**/v2/search'

/** Types faster than most people. */
const type = (page: Page, text: string) => page.keyboard.type(text, { delay: 30 })
const press = (page: Page, ...keys: string[]) =>
  keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())

const openWhy = () => visit(`keys/${company.apiKey}/why`, { as: company })
const userField = (page: Page) => page.getByRole('combobox', { name: 'User', exact: true })
const thingField = (page: Page) => page.getByRole('combobox', { name: 'Organization, folder or document' })
const highlighted = (page: Page, text: string) =>
  page.locator('[role=option][aria-selected=true]').filter({ hasText: text })
const shows = (field: Locator, text: string) =>
  until(`field with ${text}`, async () => (await field.inputValue()) === text)
const isOpen = (field: Locator, open: boolean) =>
  until(open ? 'open list' : 'closed list', async () => (await field.getAttribute('aria-expanded')) === String(open))

/** Searches take longer than typing, until the test releases them. */
async function slowSearch(page: Page): Promise<() => void> {
  let letGo = () => {}
  const waiting = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(SEARCH, async (route) => {
    await waiting
    await route.continue()
  })
  return letGo
}

async function openGiving() {
  const opened = await visit(
    `keys/${company.apiKey}/${address('access', { organizationId, type: 'folder', id: 'plans' })}`,
    {
      as: company,
    },
  )
  await opened.page.getByRole('button', { name: 'Give access', exact: true }).first().click()
  const dialog = opened.page.getByRole('dialog', { name: 'Give access' })
  const field = dialog.getByRole('combobox', { name: 'Users' })
  await field.and(opened.page.locator(':focus')).waitFor()
  return { ...opened, dialog, field }
}

describe('a picker', () => {
  it('takes the highlighted option, shows the best match first, and forgives a typo', async () => {
    const { page, faults } = await openWhy()
    await userField(page).focus()
    await type(page, 'ada')
    await highlighted(page, 'Ada Lovelace').waitFor()
    await highlighted(page, 'Use the id').waitFor({ state: 'detached' })
    assert.equal(
      await userField(page).getAttribute('aria-activedescendant'),
      await highlighted(page, 'Ada').getAttribute('id'),
    )
    await press(page, 'ArrowDown')
    await highlighted(page, 'Adam Smith').waitFor()
    await press(page, 'ArrowUp', 'Enter')
    await shows(userField(page), 'Ada Lovelace')
    await thingField(page).focus()
    await type(page, 'film budgt')
    await page.keyboard.press('Enter')
    await page
      .getByText('User Ada Lovelace has no access')
      .or(page.getByText('User Ada Lovelace may'))
      .first()
      .waitFor()
    await shows(thingField(page), 'Film budget')
    assert.deepEqual(faults, [])
  })

  it('waits for the results of the typed text when Enter is pressed before, and never takes earlier results', async () => {
    const { page, faults } = await openWhy()
    await userField(page).focus()
    await type(page, 'bob')
    await highlighted(page, 'Bob Stone').waitFor()
    const letGo = await slowSearch(page)
    await userField(page).fill('')
    await type(page, 'lovelace')
    await page.keyboard.press('Enter')
    await page.locator('[role=option][aria-selected=true]').waitFor({ state: 'detached' })
    assert.deepEqual(await violationsInBothSchemes(page), [], 'loading')
    assert.equal(await userField(page).inputValue(), 'lovelace')
    letGo()
    await shows(userField(page), 'Ada Lovelace')
    await isOpen(userField(page), false)
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('stops waiting when something else is typed, and at Escape', async () => {
    const { page } = await openWhy()
    const letGo = await slowSearch(page)
    await userField(page).focus()
    await type(page, 'bob')
    await press(page, 'Enter', 'Backspace', 'Backspace', 'Backspace')
    await type(page, 'ada')
    letGo()
    await highlighted(page, 'Ada Lovelace').waitFor()
    assert.equal(await userField(page).inputValue(), 'ada')
    await press(page, 'Escape')
    await isOpen(userField(page), false)
    assert.equal(await userField(page).inputValue(), 'ada', 'the text stays')
    await press(page, 'ArrowDown')
    await isOpen(userField(page), true)
    await press(page, 'Home')
    await type(page, 'x')
    assert.equal(await userField(page).inputValue(), 'xada', 'Home moves the caret')
    await press(page, 'End')
    await type(page, 'y')
    assert.equal(await userField(page).inputValue(), 'xaday')
    await press(page, 'Tab')
    await thingField(page).and(page.locator(':focus')).waitFor()
    assert.equal(await userField(page).inputValue(), 'xaday', 'an id of nobody')
    await type(page, 'xaday')
    await press(page, 'Tab')
    await page.getByText('Nothing is selected yet').waitFor()
    assert.equal(await thingField(page).inputValue(), 'xaday')
    await thingField(page).focus()
    await page.getByText('Nothing is selected yet').waitFor({ state: 'detached' })
  })

  it('keeps an id that was typed when the field is left, and asks only when told to', async () => {
    const { page, faults } = await openWhy()
    await userField(page).focus()
    await type(page, 'nobody-9')
    await press(page, 'Tab')
    await type(page, 'plans')
    await press(page, 'Tab')
    await shows(thingField(page), 'Plans')
    await shows(userField(page), 'nobody-9')
    assert.equal(new URL(page.url()).searchParams.get('userId'), '')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('region', { name: 'Decision' }).getByText('nobody-9').first().waitFor()
    await userField(page).focus()
    await type(page, 'nobody-10')
    await press(page, 'Tab')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('region', { name: 'Decision' }).getByText('nobody-10').first().waitFor()
    await userField(page).focus()
    await type(page, 'Lovelac')
    await press(page, 'Tab')
    await page.getByText('This is not selected yet').waitFor()
    await shows(userField(page), 'Lovelac')
    assert.deepEqual(faults, [])
  })

  it('keeps the text and says that nothing was found, and is accessible closed, open, empty and failing', async () => {
    const { page, faults } = await openWhy()
    assert.deepEqual(await violationsInBothSchemes(page), [], 'closed')
    await thingField(page).focus()
    await type(page, 'zebra')
    await press(page, 'Enter')
    await page.getByText('No organization, folder or document has this name or id').waitFor()
    assert.equal(await thingField(page).inputValue(), 'zebra')
    assert.deepEqual(await violationsInBothSchemes(page), [], 'empty')
    await thingField(page).fill('plans')
    await highlighted(page, 'Plans').waitFor()
    await page.getByRole('status').filter({ hasText: '1 option' }).waitFor({ state: 'attached' })
    assert.deepEqual(await violationsInBothSchemes(page), [], 'open')
    const refused = { error: { status: 'PERMISSION_DENIED', message: 'Not today.' } }
    await page.route(SEARCH, (route) => route.fulfill({ status: 403, json: refused }))
    await thingField(page).fill('roads')
    await press(page, 'Enter')
    await page.getByText('The search failed').waitFor()
    assert.equal(await thingField(page).inputValue(), 'roads')
    assert.deepEqual(await violationsInBothSchemes(page), [], 'failing')
    assert.deepEqual(faults, [])
  })

  it('picks several people and groups in "Give access", and covers no field and no button', async () => {
    const { page, dialog, field, faults } = await openGiving()
    await type(page, 'lovelace')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove ada' }).waitFor()
    await type(page, 'adam')
    await highlighted(page, 'Adam Smith').waitFor()
    const list = await dialog.getByRole('listbox', { name: 'Users' }).boundingBox()
    for (const below of [dialog.getByRole('radio').first(), dialog.getByRole('button', { name: 'Preview' })]) {
      const box = await below.boundingBox()
      assert.ok(list !== null && box !== null && box.y >= list.y + list.height, 'the list covers nothing')
    }
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await press(page, 'Escape')
    await isOpen(field, false)
    await dialog.waitFor()
    await field.fill('newcomer')
    await highlighted(page, 'Use the id newcomer').waitFor()
    await press(page, 'Enter', 'Backspace')
    await dialog.getByRole('button', { name: 'Remove newcomer' }).waitFor({ state: 'detached' })
    await dialog.getByRole('combobox', { name: 'User groups' }).focus()
    await type(page, 'desingers')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove design' }).waitFor()
    await press(page, 'Enter')
    await page
      .getByText(/gains? access/)
      .first()
      .waitFor()
    assert.deepEqual(faults, [])
  })

  it('keeps the focus when it is cleared', async () => {
    const { page, faults } = await visit(`keys/${company.apiKey}/users`, { as: company })
    const field = page.getByRole('combobox', { name: 'Organization' })
    await field.click()
    await page.getByRole('option').first().click()
    await page.getByRole('button', { name: 'Clear Organization' }).click()
    await field.and(page.locator(':focus')).waitFor()
    await shows(field, '')
    assert.deepEqual(faults, [])
  })
})
