/** Everything can be done with the keyboard alone, is announced to screen readers, and is accessible in light, dark and right-to-left. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment } from '#testing/threads.ts'
import { violations } from '../console/support/accessibility.ts'
import { newTeam } from './support/page.ts'
import { button, select, thread, writing } from './support/steps.ts'

const team = await newTeam(await sharedServer())

/** Returns the name or text of the focused element. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    let one = document.activeElement
    while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    return one.getAttribute('aria-label') ?? one.textContent.trim()
  })()`) as Promise<string>

async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 40; steps++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${name}`)
}

const hasFocus = (page: Page, name: string) =>
  until(`${name} has the focus`, async () => (await focused(page)) === name)

describe('with the keyboard', () => {
  it('somebody comments on a passage, mentions, answers, edits, deletes, resolves', async () => {
    const { page } = await team.open('ada')
    await button(page, 'Comment on the page').waitFor()
    await select(page, 'folders')
    await page.keyboard.press('Control+Alt+KeyM')
    await hasFocus(page, 'Comment')
    await page.keyboard.type('Which? @b')
    await page.getByText('1 person. Arrow keys choose, Enter mentions.').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByRole('listbox', { name: 'People to mention' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Backspace')
    await page.getByText('3 people. Arrow keys choose, Enter mentions.').waitFor({ state: 'attached' })
    const people = page.getByRole('listbox', { name: 'People to mention' }).getByRole('option')
    assert.deepEqual(
      (await people.allInnerTexts()).map((text) => text.split(' ')[0]),
      ['Bob', 'Cyd', 'Ada'],
    )
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key)
    assert.equal(await writing(page).getAttribute('aria-activedescendant'), 'option-0')
    await page.keyboard.press('Tab')
    assert.equal(await writing(page).inputValue(), 'Which? @Bob Noyce ')
    await page.keyboard.press('Control+Enter')
    await hasFocus(page, 'Comment on the page')
    await page.getByText('Comment added.').waitFor({ state: 'attached' })

    await tabTo(page, 'Show in the text')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Edit')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Edit' }).waitFor()
    await hasFocus(page, 'Edit')
    await page.keyboard.type('So: ')
    await page.keyboard.press('Control+Enter')
    await hasFocus(page, 'Thread of Ada Lovelace')
    await tabTo(page, 'Reply')
    await page.keyboard.press('Enter')
    // The button and the field have the same name, and a live change can show the reply before the field is closed.
    const replying = page.getByRole('textbox', { name: 'Reply' })
    await replying.waitFor()
    await hasFocus(page, 'Reply')
    await page.keyboard.type('These')
    await page.keyboard.press('Control+Enter')
    await replying.waitFor({ state: 'detached' })
    await thread(page, 'These').waitFor()
    await hasFocus(page, 'Reply')
    await page.keyboard.press('Shift+Tab')
    await hasFocus(page, 'Delete')
    await page.keyboard.press('Enter')
    await button(page, 'Cancel').waitFor()
    await hasFocus(page, 'Delete')
    await page.keyboard.press('Enter')
    await page.getByText('These', { exact: true }).waitFor({ state: 'detached' })
    // A live change can show the result before the call has ended, and until then the thread accepts no other change.
    await page.getByText('Comment deleted.').waitFor({ state: 'attached' })
    await tabTo(page, 'Resolve')
    await page.keyboard.press('Enter')
    await page.getByText('Thread resolved.').waitFor({ state: 'attached' })
    await hasFocus(page, 'Comments')
  })

  it('somebody goes on from where they were when a button that they press disappears', async () => {
    const another = await newTeam(await sharedServer())
    const comments = ['Long '.repeat(400), 'Short'].map((commentText) => comment('ada', { commentText }))
    await addThread(another.key, { comments })
    const { page } = await another.open('ada')
    await button(page, 'Show all of it').press('Enter')
    await button(page, 'Show all of it').waitFor({ state: 'detached' })
    await hasFocus(page, 'Thread of Ada Lovelace')
    await button(page, 'Delete').last().press('Enter')
    await hasFocus(page, 'Delete')
    await page.keyboard.press('Enter')
    await page.getByText('Short', { exact: true }).waitFor({ state: 'detached' })
    await hasFocus(page, 'Thread of Ada Lovelace')
    const reads = '**/v2/commentannotations/get'
    await page.route(reads, (route) => route.abort())
    await page.evaluate(`document.querySelector('commonhold-comments').refresh()`)
    await page.getByRole('alert').waitFor()
    await page.unroute(reads)
    await button(page, 'Try again').press('Enter')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await hasFocus(page, 'Comments')
  })

  it('somebody opens the inbox, marks as read, and closes it', async () => {
    for (const commentText of ['Look', 'And here'])
      await addThread(team.key, { comments: [comment('ada', { commentText, triggerNotification: true })] })
    const script = `configure({ texts: { started: 'New of {name}' } })`
    const { page } = await team.open('bob', { attributes: 'hidden', script })
    await page.getByRole('button', { name: /unread notification/ }).focus()
    await page.keyboard.press('Enter')
    await hasFocus(page, 'Notifications')
    await page.getByText('New of \u2068Ada Lovelace\u2069').first().waitFor()
    await tabTo(page, 'Mark as read')
    await page.keyboard.press('Enter')
    await hasFocus(page, 'Notifications')
    await tabTo(page, 'Mark all as read')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await hasFocus(page, 'Notifications')
  })
})

describe('the components', () => {
  for (const [name, html, texts] of [
    ['from left to right', 'lang="en"', {}],
    [
      'from right to left, in another language',
      'lang="ar" dir="rtl"',
      { reply: 'رد', 'found.two': 'شخصان', comments: 'تعليقات' },
    ],
  ] as const)
    it(`are accessible in light and dark, ${name}`, async () => {
      const script = `configure({ texts: ${JSON.stringify(texts)} })`
      const { page, faults } = await team.open('ada', { html, script })
      const labels = { reply: 'Reply', comments: 'Comments', ...texts }
      await page.getByRole('heading', { name: labels.comments, exact: true }).waitFor()
      await page.getByRole('article').first().waitFor()
      await page.getByRole('button', { name: labels.reply, exact: true }).first().click()
      await page.getByRole('textbox', { name: labels.reply }).pressSequentially('@')
      await page.getByRole('option', { name: 'Bob' }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violations(page), [])
      }
      await page.keyboard.press('Escape')
      await page.locator('#bell').click()
      await page.getByRole('dialog').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violations(page), [])
      }
      assert.deepEqual(faults, [])
    })

  it('fit on a phone', async () => {
    const { page } = await team.open('ada', { viewport: { width: 360, height: 740 } })
    await page.getByRole('article').first().waitFor()
    await page.locator('#bell').click()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    const panel = await page.getByRole('dialog').boundingBox()
    assert.ok(panel !== null && panel.x >= 0 && panel.x + panel.width <= 360)
  })

  it('use the colours of the page, and one scheme if the page sets it', async () => {
    const { page } = await team.open('ada', { attributes: 'scheme="dark" style="--commonhold-accent: rgb(1, 2, 3)"' })
    await page.locator('#write').waitFor()
    const [text, accent] = (await page.evaluate(`(() => {
      const write = document.querySelector('commonhold-comments').shadowRoot.querySelector('#write')
      return [getComputedStyle(write.parentElement).color, getComputedStyle(write).backgroundColor]
    })()`)) as [string, string]
    assert.equal(text, 'rgb(233, 234, 238)')
    assert.equal(accent, 'rgb(1, 2, 3)')
  })
})
