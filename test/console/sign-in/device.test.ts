/** Signing in a command line in the console: the code, the machine that asks, and the two answers. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { beforeAll, describe, it } from 'vitest'
import { inviteOperator } from '#contract/workspace/operators.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace, type Somebody } from '../support/sign-in.ts'
import { button } from '../support/steps.ts'

const { server, visit } = await openConsole()

let somebody: Somebody
beforeAll(async () => {
  somebody = await newWorkspace(server.url)
})

const PHONE = { viewport: { width: 390, height: 844 } }

const ask = async (name: string, data: object) =>
  (await server.client.with({ 'user-agent': 'commonhold/1.0' }).post(`/console/device/${name}`, data)).body.result.data

/** Starts a sign-in as a machine. */
const start = (machine = 'ada@laptop') => ask('start', { machine })

/** Opens the page as an operator who has just signed in. */
async function asOperator(options = {}) {
  const email = `device${process.pid}.${Math.random()}@example.com`
  const { link = '' } = await somebody.owner.call(inviteOperator, { email, name: 'Kim', role: 'developer' })
  const { page, faults } = await visit('', options)
  await page.goto('about:blank')
  await page.goto(link)
  await button(page, 'Sign in').click()
  await button(page, 'Account').waitFor()
  await page.goto(`${server.url}/console/device`)
  return { page, faults }
}

async function enter(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill(code)
  await page.keyboard.press('Enter')
}

describe('the page that signs in a command line', () => {
  it('shows which machine asks, and lets it act as the person', async () => {
    const { deviceCode, userCode } = await start()
    const { page, faults } = await asOperator()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await enter(page, '')
    await page.getByText('Enter the code.').waitFor()
    await enter(page, 'BCDF-GHJK')
    await page.getByText('Enter the code.').waitFor({ state: 'detached' })
    await page.getByText('No sign-in is waiting for this code').waitFor()
    await enter(page, userCode.toLowerCase())
    await page.getByRole('heading', { name: 'Is this you, on this machine?' }).waitFor()
    const facts = page.getByRole('table', { name: 'Machine' })
    for (const text of ['ada@laptop', '127.0.0.1, the same as this browser', 'Command line 1.0', 'Kim, developer'])
      await facts.getByText(text).waitFor()
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await button(page, 'Sign in this machine').click()
    await page.getByRole('status').getByText('Return to the command line').waitFor()
    assert.equal((await ask('poll', { deviceCode })).state, 'approved')
    await page.goto(`${server.url}/console/account`)
    await page.getByText('Command line on ada@laptop').waitFor()
    assert.deepEqual(faults, [])
  })

  it('refuses, on a phone, and shows names of machines as text', async () => {
    const { deviceCode, userCode } = await start('<b>\u202eada@laptop</b>')
    const { page, faults } = await asOperator(PHONE)
    await enter(page, userCode)
    await page.getByText('<b>\u202eada@laptop</b>').waitFor()
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= PHONE.viewport.width)
    await button(page, 'Refuse').click()
    await page.getByRole('status').getByText('Nobody was signed in.').waitFor()
    assert.equal((await ask('poll', { deviceCode })).state, 'access_denied')
    assert.deepEqual(faults, [])
  })

  it('tells a visitor who signed in with a token to sign in as a person', async () => {
    const { page } = await visit('device', { as: somebody })
    await page.getByText('You are signed in with a token').waitFor()
  })
})
