/**
 * The web components on a page in a real browser: comments on passages, mentions, answers, the inbox, and what happens
 * without a server.
 */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { removePermissions } from '#contract/access/permissions.ts'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, ON_ROADMAP } from '#testing/threads.ts'
import { bundleComponents } from '../../scripts/comments-package.ts'
import { violations } from '../console/support/accessibility.ts'
import { newTeam, SHARING } from './support/page.ts'
import { button, post, select, thread, writing } from './support/steps.ts'

const GZIP_BYTES_MAX = 40_000

const server = await sharedServer()
const team = await newTeam(server)
const stored = async () => (await team.key.call(getThreads, ON_ROADMAP)) as ThreadRecord[]
const faults: string[][] = []

async function open(...args: Parameters<typeof team.open>): Promise<Page> {
  const visit = await team.open(...args)
  faults.push(visit.faults)
  return visit.page
}

describe('the components', () => {
  it(`are less than ${GZIP_BYTES_MAX} bytes with all that they need`, async () => {
    const bytes = gzipSync((await bundleComponents()).program, { level: 9 }).length
    assert.ok(bytes > 10_000 && bytes < GZIP_BYTES_MAX, `${bytes} bytes`)
  })

  it('store a comment on a passage for programs of the hosted original, and as a TextQuoteSelector', async () => {
    const page = await open('ada')
    await select(page, 'folders')
    await button(page, 'Comment on the selection').click()
    await post(page, 'Which folders?')
    await thread(page, 'Which folders?').getByText('folders', { exact: true }).waitFor()
    const [found] = await stored()
    assert.deepEqual(found?.targetElement, { elementId: 'text', targetText: 'folders', occurrence: 1 })
    assert.deepEqual(found.context, {
      accessFields: [],
      selector: {
        type: 'TextQuoteSelector',
        exact: 'folders',
        prefix: 'e first release of the year brings '.slice(-32),
        suffix: ' for everybody. Prices stay as they are'.slice(0, 32),
      },
    })
    assert.deepEqual(await violations(page), [])
  })

  it('say that nobody matches a mention, until something else is typed', async () => {
    const page = await open('ada')
    await button(page, 'Comment on the page').click()
    await writing(page).pressSequentially('Ask @zoe')
    const nobody = page.getByText('Nobody with that name can open this document.')
    await nobody.waitFor()
    const { height = 0 } = (await nobody.boundingBox()) ?? {}
    assert.ok(height > 8, 'only screen readers are told')
    assert.deepEqual(await violations(page), [])
    await writing(page).pressSequentially(' today')
    await nobody.waitFor({ state: 'detached' })
  })

  it('mention somebody who can open the document, whose inbox leads to the thread', async () => {
    const ada = await open('ada')
    await button(ada, 'Comment on the page').click()
    await writing(ada).pressSequentially('Is this right, @noy')
    await ada.getByRole('option', { name: 'Bob Noyce' }).waitFor()
    await ada.keyboard.press('Enter')
    await writing(ada).pressSequentially('?')
    await button(ada, 'Post').click()
    await ada.getByText('Is this right, @Bob Noyce ?').waitFor()
    const found = (await stored()).find(({ mentionedUserIds }) => mentionedUserIds.includes('bob'))
    assert.equal(found?.comments[0]?.commentText, 'Is this right, {{bob}} ?')

    const bob = await open('bob', { attributes: 'hidden' })
    await bob.getByRole('button', { name: '2 unread notifications' }).click()
    const inbox = bob.getByRole('dialog', { name: 'Notifications' })
    await inbox.getByText('Is this right, @Bob Noyce ?').waitFor()
    assert.deepEqual(await violations(bob), [])
    await bob.evaluate("document.querySelector('commonhold-comments').hidden = false")
    await inbox.getByText('Is this right, @Bob Noyce ?').click()
    await until('the thread has the focus', () =>
      bob.evaluate("document.activeElement.shadowRoot?.activeElement?.hasAttribute('active')"),
    )
    await bob.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  })

  it('show a reply to everybody without a reload, resolve and reopen', async () => {
    const [ada, bob] = [await open('ada'), await open('bob')]
    const asked = thread(bob, 'Which folders?')
    await asked.getByRole('button', { name: 'Reply' }).click()
    await asked.getByRole('textbox').fill('All of them, see https://example.com/folders.')
    await asked.getByRole('button', { name: 'Reply', exact: true }).click()
    const link = thread(ada, 'All of them').getByRole('link', { name: 'https://example.com/folders', exact: true })
    await link.waitFor()
    await thread(ada, 'All of them').getByRole('button', { name: 'Resolve' }).click()
    await ada.getByText('Thread resolved.').waitFor({ state: 'attached' })
    await thread(bob, 'All of them').waitFor({ state: 'detached' })
    await bob.getByLabel('Show').selectOption('Resolved')
    await bob.getByText('Resolved by \u2068Ada Lovelace\u2069').waitFor()
    await thread(ada, 'All of them').waitFor({ state: 'detached' })
    await ada.getByLabel('Show').selectOption('All')
    await thread(ada, 'All of them').getByRole('button', { name: 'Reopen' }).click()
    await thread(bob, 'All of them').waitFor({ state: 'detached' })
  })

  it('let authors edit and delete only their own comments', async () => {
    const ada = await open('ada')
    const asked = thread(ada, 'All of them') // the answer of Bob
    await asked.getByText('Which folders?').waitFor()
    assert.equal(await asked.getByRole('button', { name: 'Edit' }).count(), 1)
    await asked.getByRole('button', { name: 'Edit' }).click()
    await asked.getByRole('textbox').fill('Which folders exactly?')
    await asked.getByRole('button', { name: 'Save' }).click()
    await thread(ada, 'Which folders exactly?').getByText('edited').waitFor()
    await button(ada, 'Comment on the page').click()
    await post(ada, 'A slip')
    await thread(ada, 'A slip').getByRole('button', { name: 'Delete' }).click()
    await ada.getByText('Delete this comment, and with it the thread?').waitFor()
    await ada
      .getByRole('article')
      .getByRole('button', { name: 'Delete', exact: true })
      .and(ada.locator(':focus'))
      .click()
    await thread(ada, 'A slip').waitFor({ state: 'detached' })
    await ada.getByText('Comment deleted.').waitFor({ state: 'attached' })
  })

  it('show a viewer the threads, and nothing to write with', async () => {
    const cyd = await open('cyd')
    await thread(cyd, 'Which folders exactly?').waitFor()
    await cyd.getByText('You can read these comments.').waitFor()
    await select(cyd, 'folders')
    const inThreads = cyd.locator('commonhold-comments').getByRole('button')
    assert.deepEqual(await inThreads.allInnerTexts(), ['Show in the text'])
  })

  it('show a viewer of a document without threads only that there are none', async () => {
    const { page } = await (await newTeam(server)).open('cyd')
    await page.getByText('No comments yet.', { exact: true }).waitFor()
    await page.getByText('You can read these comments.').waitFor()
  })

  it('fetch another token when the server no longer accepts the first, and report when there is none', async () => {
    const script = `
      let count = 0
      configure({ token: async () => (await (await fetch('/token?as=ada')).text()).slice(0, count++ < 2 ? -4 : undefined) })`
    const ada = await open('ada', { script })
    await thread(ada, 'Which folders exactly?').waitFor()
    await ada.evaluate("document.querySelector('commonhold-comments').token = 'expired'")
    await ada.getByRole('alert').getByText('Your session has ended').waitFor()
    assert.equal(await ada.getByRole('article').count(), 0)
  })

  it('count new items in the inbox, and remove comments when access is lost, both without a reload', async () => {
    const another = await newTeam(server)
    await addThread(another.key, { comments: [comment('ada', { commentText: 'For members' })] })
    const { page: cyd } = await another.open('cyd')
    await thread(cyd, 'For members').waitFor()
    await button(cyd, 'Notifications').waitFor()
    const news = comment('bob', { commentText: 'News', triggerNotification: true })
    await addThread(another.key, { comments: [news], visibility: { type: 'restricted', userIds: ['cyd'] } })
    await cyd.getByText('1 new comment.').waitFor({ state: 'attached' })
    await cyd.getByRole('button', { name: '1 unread notification' }).waitFor()
    await another.key.call(removePermissions, {
      user: { userId: 'cyd' },
      permissions: { resources: [{ type: 'organization', id: 'acme' }] },
    })
    await cyd.getByRole('alert').getByText('You have no access to these comments.').waitFor()
    assert.equal(await cyd.getByRole('article').count(), 0)
  })

  it('keep a written comment when the server cannot be reached, and store it once', async () => {
    const ada = await open('ada')
    await button(ada, 'Comment on the page').click()
    let attempts = 0
    // The first request is lost, and so is the response to the second.
    await ada.route('**/v2/commentannotations/add', async (route) => {
      if (++attempts === 2) await route.fetch()
      await (attempts < 3 ? route.abort() : route.continue())
    })
    await post(ada, 'Sent over a bad line')
    await ada.getByRole('alert').getByText('could not be reached').waitFor()
    await button(ada, 'Try again').click()
    await until('the second attempt', () => attempts === 2)
    await ada.getByRole('alert').getByText('could not be reached').waitFor()
    await button(ada, 'Try again').click()
    await thread(ada, 'Sent over a bad line').waitFor()
    const texts = (await stored()).map(({ comments }) => comments[0]?.commentText)
    assert.equal(texts.filter((text) => text === 'Sent over a bad line').length, 1)
  })

  it('poll for changes when they cannot follow live, and show a sentence when they cannot poll', async () => {
    const script = `
      const fetching = window.fetch
      window.fetch = (url, ...more) => (String(url).endsWith('/live') ? Promise.reject(new TypeError()) : fetching(url, ...more))
      configure({ pollSeconds: 1 })`
    const ada = await open('ada', { script })
    await thread(ada, 'Which folders exactly?').waitFor()
    await ada.route('**/v2/commentannotations/get', (route) => route.abort())
    await ada.getByRole('alert').getByText('could not be reached').waitFor()
    await thread(ada, 'Which folders exactly?').waitFor()
    await addThread(team.key, { comments: [comment('bob', { commentText: 'Meanwhile' })] })
    await ada.unroute('**/v2/commentannotations/get')
    await thread(ada, 'Meanwhile').waitFor()
    await ada.getByRole('alert').waitFor({ state: 'detached' })
  })

  it('share the document with somebody, after a preview', async () => {
    await team.key.call(updateKeyConfig, { userSharing: 'editors' })
    const ada = await open('ada', { article: SHARING })
    await button(ada, 'Share').click()
    const share = ada.getByRole('dialog', { name: 'Share this document' })
    await share.getByRole('combobox', { name: 'People and groups' }).fill('cyd')
    await share.getByRole('option', { name: 'Cyd Charisse' }).click()
    await share.getByLabel('Role').selectOption('Can edit')
    await share.getByText('Can edit, no longer Can view').waitFor()
    assert.deepEqual(await violations(ada), [])
    await share.getByRole('button', { name: 'Share', exact: true }).click()
    await share.getByText('Access changed.').waitFor({ state: 'attached' })
    await ada.keyboard.press('Escape')
    await button(ada, 'Who has access').click()
    await ada.getByLabel('Role of Cyd Charisse').waitFor()
  })

  it('cause no errors on the page', () => {
    assert.deepEqual(faults.flat(), [])
  })
})
