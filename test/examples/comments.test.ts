/**
 * The example of comments, as `npm run comments` of docs/guides/add-comments-to-your-page.md runs it, with three people
 * in three browsers.
 */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { afterThisFile } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { commentOn, converse, enter, startCommentsExample, thread } from '../../scripts/screenshots/comments.ts'
import { violations } from '../console/support/accessibility.ts'
import { openPage } from '../console/support/browser.ts'

const { url, child } = await startCommentsExample()
afterThisFile(async () => {
  const exited = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await exited
})

const focusesThread = (page: Page) =>
  until('the thread has the focus', () =>
    page.evaluate("document.activeElement.shadowRoot?.activeElement?.hasAttribute('active') === true"),
  )

const faults: string[][] = []
async function browserOf(person: string) {
  const visit = await openPage(url)
  faults.push(visit.faults)
  return enter(visit.page, url, person)
}

describe('the example of comments', () => {
  it('lets three people comment, mention, answer, and read their inboxes and mails', async () => {
    const [ada, bob, cyd] = [await browserOf('ada'), await browserOf('bob'), await browserOf('cyd')]
    await converse(ada, bob, cyd)
    for (const page of [ada, bob, cyd]) {
      await thread(page, 'Yes, since May.').getByText('from 8 to 9 euros').waitFor()
      await thread(page, '@Ada Lovelace').waitFor()
    }
    assert.deepEqual(await violations(ada), [])

    // Somebody who is mentioned gets a mail, and finds it in the inbox; both lead to the thread.
    await cyd.goto(`${url}/mails`)
    await commentOn(ada, 'office in Lisbon', '@cyd', 'would you go?')
    const mailToCyd = 'iframe[title="Mail to cyd@example.com"]'
    await until('the mail', async () => {
      await cyd.reload()
      return (await cyd.locator(mailToCyd).count()) === 1
    })
    const mail = cyd.frameLocator(mailToCyd)
    await mail.getByText('office in Lisbon').waitFor()
    const link = (await mail.getByRole('link', { name: 'Open the document' }).getAttribute('href')) ?? ''
    await cyd.goto(url)
    await cyd.getByRole('button', { name: /unread notification/ }).click()
    await cyd.getByRole('dialog', { name: 'Notifications' }).getByText('would you go?').click()
    await focusesThread(cyd)
    await cyd.goto(link)
    await focusesThread(cyd)
    await thread(ada, 'would you go?').getByRole('button', { name: 'Resolve' }).click()
    await thread(cyd, 'would you go?').waitFor({ state: 'detached' })
    assert.deepEqual(faults.flat(), [])
  })

  it('gives a token only to people who are signed in', async () => {
    for (const [path, method] of [['/commonhold-token', 'POST']] as const)
      assert.equal((await fetch(url + path, { method, headers: { cookie: 'person=toString' } })).status, 401)
  })
})
