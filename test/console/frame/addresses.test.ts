/** The address has what a person looks at: the text that a list is searched for, and the event whose details are open. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()
const company = await newCompany(server)
const { apiKey } = company

/** The lists, with a text and the name or id that only it finds. */
const LISTS: readonly (readonly [view: string, text: string, found: string, other: string])[] = [
  ['keys', 'acme', 'Acme', 'Sandbox'],
  [`keys/${apiKey}/organizations`, 'acm', 'Acme', 'Globex'],
  [`keys/${apiKey}/users`, 'love', 'Ada Lovelace', 'Bob Stone'],
  [`keys/${apiKey}/${address('organizations/resources', { organizationId })}`, 'road', 'Road map', 'Work'],
  [`keys/${apiKey}/${address('access', { organizationId })}`, 'love', 'Ada Lovelace', 'Bob Stone'],
]

it('has the text that a list is searched for, so that loading the page again and a link keep it', async () => {
  for (const [view, text, found, other] of LISTS) {
    const { page, faults } = await visit(view, { as: company })
    const field = page.getByRole('search').getByRole('textbox')
    const cell = (name: string) => page.getByRole('main').getByRole('table').getByText(name, { exact: true }).first()
    await cell(found).or(cell(other)).first().waitFor()
    await field.pressSequentially(`${text} `, { delay: 30 })
    await page.waitForURL((url) => url.searchParams.get('text') === text)
    assert.equal(await field.inputValue(), `${text} `, view) // a space is typed before the next word
    await page.reload()
    await cell(found).waitFor()
    assert.equal(await field.inputValue(), text, view)
    await cell(other).waitFor({ state: 'detached' })
    await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL((url) => !url.searchParams.has('text'))
    assert.equal(await field.inputValue(), '', view)
    assert.deepEqual(faults, [])
  }
})

it('has the event whose details are open, so that a link shows them, and Back closes them', async () => {
  const { page, faults } = await visit(`keys/${apiKey}/events`, { as: company })
  const details = page.getByRole('dialog', { name: 'Event' })
  await page
    .getByRole('button', { name: /Road map/ })
    .first()
    .click()
  await details.getByText('Road map').first().waitFor()
  await page.waitForURL((url) => url.searchParams.has('event'))
  const link = page.url()
  await page.goBack()
  await details.waitFor({ state: 'detached' })
  await page.goForward()
  await details.waitFor()
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '')
  // A list that does not have the event opens it, too.
  const colleague = await visit(`keys/${apiKey}/events`, { as: company })
  await colleague.page.goto(`${link}&period=yesterday`)
  await colleague.page.getByRole('dialog', { name: 'Event' }).getByText('Road map').first().waitFor()
  await colleague.page.goto(link.replace(/event=[^&]+/, 'event=none'))
  await colleague.page.getByText('Event not found').waitFor()
  assert.deepEqual([faults, colleague.faults], [[], []])
})
