/** An unsent text is shown again after the page is reloaded: to the same user, until it is sent or cancelled. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { getThreads, updateThreads } from '#contract/comments/threads.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, ON_ROADMAP, readThread } from '#testing/threads.ts'
import { newTeam } from './support/page.ts'
import { button, post, select, thread, writing } from './support/steps.ts'

const server = await sharedServer()
const replying = (page: Page): Locator => page.getByRole('textbox', { name: 'Reply' })
const editing = (page: Page): Locator => page.getByRole('textbox', { name: 'Edit' })
const kept = (page: Page): Promise<number> => page.evaluate('sessionStorage.length') as Promise<number>
const isListed = (page: Page): Promise<void> => button(page, 'Comment on the page').waitFor()

/** A page whose user is the one in its address after `#`, or Ada. */
const SIGN_IN = `import { configure } from '/commonhold-comments.js'
  configure({ ...options, token: async () => (await fetch('/token?as=' + (location.hash.slice(1) || 'ada'))).text() })`

describe('a draft', () => {
  it('of a new thread comes back with its passage and its mentions, and is gone once it is sent', async () => {
    const team = await newTeam(server)
    const { page } = await team.open('ada')
    await isListed(page)
    await select(page, 'free plan')
    await button(page, 'Comment on the selection').click()
    await writing(page).fill('Is this so, @')
    await writing(page).press('End')
    await page.getByRole('option', { name: 'Bob Noyce' }).click()
    await page.reload()
    await writing(page).waitFor()
    assert.equal(await writing(page).inputValue(), 'Is this so, @Bob Noyce ')
    await page.locator('.new').getByText('free plan').waitFor()
    await button(page, 'Post').click()
    await thread(page, 'Is this so,').waitFor()
    const { commentText, taggedUserContacts } = await team.only()
    assert.equal(commentText, 'Is this so, {{bob}}')
    assert.deepEqual(
      taggedUserContacts.map(({ userId }) => userId),
      ['bob'],
    )
    assert.equal(await kept(page), 0)
    await page.reload()
    await thread(page, 'Is this so,').waitFor()
    await isListed(page)
    await thread(page, 'Is this so,').getByRole('button', { name: 'Show in the text' }).waitFor()
  })

  it('of a reply or a change comes back in its place, and is gone once it is cancelled', async () => {
    const team = await newTeam(server)
    const comments = [comment('ada', { commentText: 'First' })]
    const annotationId = await addThread(team.key, { comments })
    await addThread(team.key, { comments: [comment('ada', { commentText: 'Another' })] })
    const { page } = await team.open('ada')
    await thread(page, 'First').getByRole('button', { name: 'Reply' }).click()
    await replying(page).fill('Half a reply')
    await thread(page, 'First').getByRole('button', { name: 'Edit' }).click()
    await editing(page).fill('First, half edited')
    const status = { id: 'RESOLVED', name: 'Resolved', type: 'terminal' as const }
    await team.key.call(updateThreads, { ...ON_ROADMAP, annotationIds: [annotationId], updatedData: { status } })
    await page.reload() // only open threads are listed, and those with drafts
    await thread(page, 'Another').waitFor()
    assert.deepEqual(
      [await editing(page).inputValue(), await replying(page).inputValue()],
      ['First, half edited', 'Half a reply'],
    )
    await button(page, 'Save').click()
    await thread(page, 'First, half edited').waitFor()
    await editing(page).waitFor({ state: 'detached' })
    await button(page, 'Cancel').click()
    await thread(page, 'First, half edited').waitFor({ state: 'detached' })
    assert.equal(await kept(page), 0)
    await page.reload()
    await thread(page, 'Another').waitFor()
    assert.equal(await thread(page, 'First, half edited').count(), 0)
    assert.equal(await page.getByRole('textbox').count(), 0)
    assert.equal((await readThread(team.key, annotationId)).comments.length, 1)
  })

  it('is never shown to somebody else who signs in in the same tab', async () => {
    const team = await newTeam(server)
    const { page } = await team.open('ada', { setUp: SIGN_IN })
    await button(page, 'Comment on the page').click()
    await writing(page).fill('Of Ada alone')
    const address = page.url()
    const signIn = async (user: string) => {
      await page.goto('about:blank') // another fragment alone loads nothing
      await page.goto(`${address}#${user}`)
    }
    await signIn('bob')
    await button(page, 'Comment on the page').click()
    assert.equal(await writing(page).inputValue(), '')
    await signIn('ada')
    await writing(page).waitFor()
    assert.equal(await writing(page).inputValue(), 'Of Ada alone')
  })

  it('that was being sent is written once, although its sender loads the page again and sends it again', async () => {
    const team = await newTeam(server)
    const { page } = await team.open('ada')
    await button(page, 'Comment on the page').click()
    await page.route('**/v2/commentannotations/add', async (route) => {
      await route.fetch() // the response is lost
    })
    await post(page, 'Sent twice')
    await thread(page, 'Sent twice').waitFor()
    await page.unroute('**/v2/commentannotations/add')
    await page.reload()
    await writing(page).waitFor()
    assert.equal(await writing(page).inputValue(), 'Sent twice')
    await button(page, 'Post').click()
    await isListed(page)
    assert.equal(((await team.key.call(getThreads, ON_ROADMAP)) as unknown[]).length, 1)
  })

  const STORAGES = {
    blocked: `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })`,
    full: `Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }`,
    'filled with something else': `Storage.prototype.getItem = () => '{"text": 5}'`,
  }
  for (const [name, script] of Object.entries(STORAGES))
    it(`is not needed to write, in a browser whose storage is ${name}`, async () => {
      const team = await newTeam(server)
      const setUp = `${script}
        import('/commonhold-comments.js').then(({ configure }) => configure(options))`
      const { page, faults } = await team.open('ada', { setUp })
      await button(page, 'Comment on the page').click()
      await post(page, 'Written')
      await thread(page, 'Written').waitFor()
      await isListed(page)
      assert.equal((await team.only()).commentText, 'Written')
      assert.deepEqual(faults, [])
    })
})
