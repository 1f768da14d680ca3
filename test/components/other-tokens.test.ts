/** Another token of the page: what somebody is writing stays for the same user, and is never sent as another. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, ON_ROADMAP } from '#testing/threads.ts'
import { newTeam, type Team } from './support/page.ts'
import { button, post, thread, writing } from './support/steps.ts'

const server = await sharedServer()
const storedBy = async ({ key }: Team) =>
  ((await key.call(getThreads, ON_ROADMAP)) as ThreadRecord[]).flatMap(({ comments }) =>
    comments.map(({ from, commentText }) => `${from.userId}: ${commentText}`),
  )
const onHost = (page: Page, script: string) =>
  page.evaluate(`(async () => { const host = document.querySelector('commonhold-comments'); ${script} })()`)

const replying = (page: Page) => page.getByRole('textbox', { name: 'Reply' })

describe('a text that is being written', () => {
  it('stays when the page has another token or function of it for the same user', async () => {
    const team = await newTeam(server)
    await addThread(team.key, { comments: [comment('bob', { commentText: 'A question' })] })
    const { page } = await team.open('ada')
    await thread(page, 'A question').getByRole('button', { name: 'Reply' }).click()
    await replying(page).fill('Half a rep')
    await button(page, 'Comment on the page').click()
    await writing(page).fill('Half a comm')
    // React does this with each rendering.
    await onHost(page, `host.token = async () => (await fetch('/token?as=ada')).text(); await host.updateComplete`)
    assert.equal(await writing(page).inputValue(), 'Half a comm')
    assert.equal(await replying(page).inputValue(), 'Half a rep')
    await writing(page).fill('A whole comment')
    await button(page, 'Post').click()
    await thread(page, 'A whole comment').waitFor()
    assert.equal(await replying(page).inputValue(), 'Half a rep')
    await addThread(team.key, { comments: [comment('bob', { commentText: 'Live' })] })
    await thread(page, 'Live').waitFor()
  })

  it('stays when the text of the token is replaced before it expires', async () => {
    const team = await newTeam(server)
    const tokenOf = async (userId: string) => (await team.key.call(generateToken, { userId })).token
    const { page } = await team.open('ada', { script: `configure({ token: '${await tokenOf('ada')}' })` })
    await button(page, 'Comment on the page').click()
    await writing(page).fill('Half a comm')
    await onHost(page, `host.token = '${await tokenOf('ada')}'; await host.updateComplete`)
    assert.equal(await writing(page).inputValue(), 'Half a comm')
    await onHost(page, `host.token = '${await tokenOf('bob')}'; await host.updateComplete`)
    await writing(page).waitFor({ state: 'detached' })
  })

  it('stays after the session has ended, and is sent once somebody has signed in again in another tab', async () => {
    const team = await newTeam(server)
    const script = `window.isSignedIn = true
      window.tokenOfApp = async () => (window.isSignedIn ? (await fetch('/token?as=ada')).text() : '')
      configure({ token: tokenOfApp })`
    const { page } = await team.open('ada', { script })
    await button(page, 'Comment on the page').click()
    await onHost(page, `window.isSignedIn = false; host.token = async () => tokenOfApp(); await host.updateComplete`)
    await post(page, 'Written before')
    await page.getByRole('alert').getByText('Sign in again in another tab, then try again.').waitFor()
    await page.evaluate('window.isSignedIn = true')
    await button(page, 'Try again').last().click()
    await thread(page, 'Written before').waitFor()
    assert.deepEqual(await storedBy(team), ['ada: Written before'])
  })

  it('is not sent in the name of somebody else who has signed in meanwhile', async () => {
    const team = await newTeam(server)
    const { page } = await team.open('ada', {
      script: `let as = 'ada'
        configure({ token: async () => (await fetch('/token?as=' + as)).text() })
        window.become = (id) => { as = id; configure({ token: async () => (await fetch('/token?as=' + as)).text() }) }`,
    })
    await button(page, 'Comment on the page').click()
    await writing(page).fill('By Ada')
    await page.evaluate(`become('bob')`)
    await button(page, 'Post').click()
    await writing(page).waitFor({ state: 'detached' })
    assert.deepEqual(await storedBy(team), [])
    await button(page, 'Comment on the page').click()
    await post(page, 'By Bob')
    await thread(page, 'By Bob').getByText('(you)').waitFor()
    assert.deepEqual(await storedBy(team), ['bob: By Bob'])
  })
})
