/** An unsent text stays, whatever others do meanwhile to its thread and its author's access. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments } from '#contract/comments/comments.ts'
import { deleteThreads } from '#contract/comments/threads.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { newTeam } from './support/page.ts'
import { button, post, thread, writing } from './support/steps.ts'

const server = await sharedServer()
const replying = (page: Page): Locator => page.getByRole('textbox', { name: 'Reply' })
const editing = (page: Page): Locator => page.getByRole('textbox', { name: 'Edit' })

describe('a text that is being written', () => {
  it('stays in its comment when earlier comments are deleted and later ones are added', async () => {
    const team = await newTeam(server)
    const comments = ['bob', 'bob', 'ada', 'bob'].map((userId, nth) => comment(userId, { commentText: `No. ${nth}` }))
    const annotationId = await addThread(team.key, { comments })
    const { page } = await team.open('ada')
    await button(page, 'Edit').click()
    await editing(page).fill('Half an edit')
    for (const commentText of ['Later', 'Still later', 'Latest'])
      await team.key.call(addComments, { ...ON_ROADMAP, annotationId, commentData: [comment('bob', { commentText })] })
    const [, second] = (await readThread(team.key, annotationId)).comments
    const commentIds = [second?.commentId ?? 0]
    await team.key.call(deleteComments, { ...ON_ROADMAP, annotationId, commentIds })
    await page.getByText('Show 1 earlier reply').waitFor()
    await thread(page, 'Latest').waitFor()
    assert.equal(await editing(page).inputValue(), 'Half an edit')
  })

  it('stays, to be copied, when its thread is deleted', async () => {
    const team = await newTeam(server)
    const annotationId = await addThread(team.key, { comments: [comment('bob', { commentText: 'Short-lived' })] })
    const { page } = await team.open('ada')
    await thread(page, 'Short-lived').getByRole('button', { name: 'Reply' }).click()
    await replying(page).fill('A long answer')
    await team.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [annotationId] })
    await page.getByText('Short-lived').waitFor({ state: 'detached' })
    assert.equal(await replying(page).inputValue(), 'A long answer')
    await page.getByText('It is no longer there.').waitFor()
    await page.getByRole('article').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('article').waitFor({ state: 'detached' })
  })

  it('stays, without what others wrote, when its author loses the access', async () => {
    const team = await newTeam(server)
    const comments = [comment('bob', { commentText: 'For members' }), comment('ada', { commentText: 'Of Ada' })]
    await addThread(team.key, { comments })
    const { page } = await team.open('ada')
    await button(page, 'Edit').click()
    await editing(page).fill('Edited by Ada')
    await button(page, 'Reply').click()
    await replying(page).fill('A long answer')
    const resources = [{ type: 'organization' as const, id: organizationId }]
    await team.key.call(removePermissions, { user: { userId: 'ada' }, permissions: { resources } })
    await page.getByRole('alert').getByText('You have no access to these comments.').waitFor()
    assert.equal(await page.getByText('For members').count(), 0)
    assert.deepEqual(
      [await editing(page).inputValue(), await replying(page).inputValue()],
      ['Edited by Ada', 'A long answer'],
    )
    const again = [
      { ...resources[0], type: 'organization' as const, id: organizationId, accessRole: 'editor' as const },
    ]
    await team.key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: again } })
    await thread(page, 'For members').waitFor()
    assert.deepEqual(
      [await editing(page).inputValue(), await replying(page).inputValue()],
      ['Edited by Ada', 'A long answer'],
    )
  })

  it('can be begun once somebody has got a role for it, without a reload', async () => {
    const team = await newTeam(server)
    const { page } = await team.open('cyd')
    await page.getByText('You can read these comments.').waitFor()
    const resources = [{ type: 'document' as const, id: 'roadmap', organizationId, accessRole: 'commenter' as const }]
    await team.key.call(addPermissions, { user: { userId: 'cyd' }, permissions: { resources } })
    await page.evaluate(`document.querySelector('commonhold-comments').refresh()`)
    await button(page, 'Comment on the page').click()
    await post(page, 'Thank you')
    await thread(page, 'Thank you').waitFor()
  })

  it('stays, to be copied, when its author may only read, and can be sent with a role for it, without a reload', async () => {
    const team = await newTeam(server)
    await addThread(team.key, { comments: [comment('bob', { commentText: 'For members' })] })
    const { page } = await team.open('bob')
    const give = (accessRole: 'viewer' | 'commenter') =>
      team.key.call(addPermissions, {
        user: { userId: 'bob' },
        permissions: { resources: [{ type: 'organization', id: organizationId, accessRole }] },
      })
    await button(page, 'Comment on the page').click()
    await writing(page).fill('Half a comment')
    await give('viewer')
    // Actions that a viewer may not do are no longer offered, because the page follows its data live.
    for (const name of ['Reply', 'Resolve', 'Edit']) await button(page, name).waitFor({ state: 'detached' })
    assert.equal(await writing(page).inputValue(), 'Half a comment')
    await button(page, 'Post').click()
    await page.getByRole('alert').getByText('You may not do this').waitFor()
    await give('commenter')
    await button(page, 'Reply').waitFor()
    await button(page, 'Try again').click()
    await thread(page, 'Half a comment').waitFor()
  })

  it('stays when another form of the same thread is closed', async () => {
    const team = await newTeam(server)
    const comments = ['First', 'Second'].map((commentText) => comment('ada', { commentText }))
    await addThread(team.key, { comments })
    const { page } = await team.open('ada')
    await button(page, 'Reply').click()
    await replying(page).fill('Half a reply')
    await button(page, 'Delete').first().click()
    await page.getByText('Delete this comment?').waitFor()
    await button(page, 'Cancel').first().click()
    assert.equal(await replying(page).inputValue(), 'Half a reply')
    await button(page, 'Edit').first().click()
    await editing(page).fill('First, edited')
    assert.equal(await button(page, 'Edit').count(), 0)
    await button(page, 'Save').click()
    await thread(page, 'First, edited').waitFor()
    await editing(page).waitFor({ state: 'detached' })
    assert.equal(await replying(page).inputValue(), 'Half a reply')
    await button(page, 'Edit').first().click()
    await editing(page).fill('First, edited again')
    await button(page, 'Reply').click()
    await replying(page).waitFor({ state: 'detached' })
    assert.equal(await editing(page).inputValue(), 'First, edited again')
  })
})
