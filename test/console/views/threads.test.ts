/** Threads in the console: finding and moderating them, and their notifications. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addComments } from '#contract/comments/comments.ts'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { addThreads, getThreads } from '#contract/comments/threads.ts'
import { getActivityConfig } from '#contract/keys/activity-config.ts'
import { getNotificationConfig, updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getEmailConfig, getWebhookConfig } from '#contract/keys/service-configs.ts'
import { getNotificationPreferences, setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addUsers } from '#contract/users/users.ts'
import { eventually } from '#testing/eventually.ts'
import { FULL } from '#testing/run/mode.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'
import { button } from '../support/steps.ts'

const { server, visit } = await openConsole()
const organizationId = 'acme'

const rows = (page: Page) => page.getByRole('table', { name: 'Threads' }).locator('tbody').getByRole('link')

/** Two documents with three threads: one with a question of Ada and an answer of Bob, one by Bob, and one that is resolved. */
async function newThreads() {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  const documents = [{ documentId: 'roadmap' }, { documentId: 'plan', documentName: 'Launch plan' }]
  await client.call(addDocuments, { organizationId, createOrganization: true, documents })
  const users = ['ada', 'bob'].map((userId) => ({ userId, name: userId === 'ada' ? 'Ada B.' : 'Bob' }))
  await client.call(addUsers, { organizationId, users })
  const comment = (userId: string, commentText: string, more: object = {}) => ({
    from: { userId },
    commentText,
    ...more,
  })
  const mention = { taggedUserContacts: [{ userId: 'bob', contact: { userId: 'bob', name: 'Bob' }, text: '@Robert' }] }
  await client.call(addThreads, {
    organizationId,
    documentId: 'roadmap',
    commentAnnotations: [
      {
        annotationId: 'price',
        commentData: [
          comment('ada', 'Is this the price, {{bob}}?', { commentId: 1, ...mention }),
          comment('bob', 'Since May.', { commentId: 2 }),
        ],
      },
      {
        annotationId: 'done',
        commentData: [comment('bob', 'A typo.')],
        status: { id: 'FIXED', name: 'Fixed', type: 'terminal', color: '#000', lightColor: '#fff', iconUrl: 'x' },
      },
    ],
  })
  await client.call(addThreads, {
    organizationId,
    documentId: 'plan',
    commentAnnotations: [
      {
        annotationId: 'plan',
        commentData: [comment('bob', 'When?')],
        assignedTo: { userId: 'bob' },
        priority: { id: 'P1', name: 'High', color: '#f00', lightColor: '#fee' },
      },
    ],
  })
  const open = (view: string) => visit(`keys/${somebody.apiKey}/${view}`, { as: somebody })
  return { client, open }
}

/** Returns a script that types texts into fields, found by their placeholders, in one turn of the page. */
const typedAtOnce = (texts: Record<string, string>): string => `
  for (const [placeholder, text] of Object.entries(${JSON.stringify(texts)})) {
    const input = document.querySelector('input[placeholder="' + placeholder + '"]')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }`

describe('threads in the console', () => {
  it.runIf(FULL)('are listed of an organization, and found by document, person, status and text', async () => {
    const { open } = await newThreads()
    const { page, faults } = await open('threads')
    const shown = async (...texts: string[]) => {
      for (const text of texts) await rows(page).filter({ hasText: text }).first().waitFor()
      await page.getByText(new RegExp(`^${texts.length} in total$`)).waitFor()
    }
    await shown('Is this the price, @Bob?', 'A typo.', 'When?')
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByLabel('Status').selectOption('Resolved')
    await shown('A typo.')
    await page.getByLabel('Status').selectOption('All')
    const asked = page.waitForRequest((request) => request.postDataJSON()?.data?.text === 'since MAY')
    await page.getByLabel('Text').fill('since MAY')
    await shown('Is this the price, @Bob?')
    assert.deepEqual((await asked).postDataJSON().data, { organizationId, pageSize: 100, text: 'since MAY' })
    await page.evaluate(typedAtOnce({ 'In a comment': '', 'Such as P1': 'P1' }))
    await shown('When?')
    await page.getByLabel('Priority').fill('')
    await page.getByLabel('Status').selectOption('Not resolved')
    await shown('Is this the price, @Bob?', 'When?')
    await page.getByLabel('Status').selectOption('All')
    await page.getByRole('combobox', { name: 'Person' }).fill('bob')
    await page.getByRole('option').filter({ visible: true }).first().click()
    await shown('A typo.', 'When?')
    await page.getByLabel('Who').selectOption('is its assignee')
    await shown('When?')
    await page.getByLabel('Who').selectOption('is mentioned in it')
    await shown('Is this the price, @Bob?')
    await page.reload()
    await shown('Is this the price, @Bob?')
    await page.getByLabel('Text').fill('nothing like this')
    await page.getByText('No matching threads').waitFor()
    assert.deepEqual(faults, [])
  })

  it('are read, resolved and opened again, and a comment and the thread are deleted', async () => {
    const { client, open } = await newThreads()
    const stored = async () =>
      (await client.call(getThreads, {
        organizationId,
        documentId: 'roadmap',
        annotationIds: ['price'],
      })) as ThreadRecord[]
    const { page, faults } = await open(`threads?organizationId=${organizationId}&documentId=roadmap`)
    await button(page, 'Actions for the thread of Ada B.: Is this the price, @Bob?').click()
    await page.getByRole('menuitem', { name: 'Access to the document' }).waitFor()
    await page.keyboard.press('Escape')
    await rows(page).filter({ hasText: 'Is this the price' }).click()
    await page.getByRole('heading', { level: 1, name: 'Thread' }).waitFor()
    const comments = page.getByRole('list', { name: 'Comments' }).getByRole('listitem')
    assert.match((await comments.nth(1).textContent()) ?? '', /Bob.*Since May\./)
    assert.equal(await comments.count(), 2)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    const mails = page.getByRole('region', { name: 'Mails' })
    await mails.getByText('The e-mail service of this API key is off').waitFor()
    await mails.getByText('No mails in the last 30 days.').waitFor()
    await button(page, 'Resolve').click()
    await button(page, 'Reopen').waitFor()
    assert.equal((await stored())[0]?.status.type, 'terminal')
    await button(page, 'Reopen').click()
    await button(page, 'Resolve').waitFor()
    assert.equal((await stored())[0]?.status.id, 'OPEN')
    await button(page, 'Delete the comment of Bob: Since May.').press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete comment' }).click()
    await comments.nth(1).waitFor({ state: 'detached' })
    assert.equal((await stored())[0]?.comments.length, 1)
    await button(page, 'Delete…').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete thread and 1 comment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Threads' }).waitFor()
    await page.getByText(/^1 in total$/).waitFor()
    assert.deepEqual(await stored(), [null])
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('notify a user by the levels that are set on the page of the user', async () => {
    const { client, open } = await newThreads()
    const config = { inbox: 'NONE' } as const
    await client.call(setNotificationPreferences, { organizationId, userIds: ['bob'], documentIds: ['plan'], config })
    await client.call(updateNotificationConfig, { useNotificationService: true })
    for (const commentId of [11, 12])
      await client.call(addComments, {
        ...{ organizationId, documentId: 'roadmap', annotationId: 'price' },
        commentData: [
          { commentId, from: { userId: 'ada' }, commentText: `News ${commentId}`, triggerNotification: true },
        ],
      })
    const { page, faults } = await open(`users/user?userId=bob&organizationId=${organizationId}`)
    const inbox = page.getByRole('list', { name: 'Inbox' })
    await inbox.getByText('2 unread').waitFor()
    assert.equal(await inbox.getByRole('listitem').count(), 1)
    await page.getByLabel('Search the inbox').fill('news 12')
    await page.getByText('1 thread, 2 unread').waitFor()
    await page.getByLabel('Search the inbox').fill('nothing like this')
    await page.getByText('0 threads, 0 unread').waitFor()
    const part = page.getByRole('region', { name: 'Notifications' })
    await part.getByLabel('E-mail').first().selectOption('Nothing')
    await page.getByText('The level was changed.').first().waitFor()
    const [ofOrganization] = await client.call(getNotificationPreferences, {
      organizationId,
      userId: 'bob',
      getOrganizationConfig: true,
    })
    assert.deepEqual(ofOrganization?.config, { inbox: 'ALL', email: 'NONE' })
    const ofPlan = part.getByRole('group', { name: 'Launch plan' })
    await ofPlan.getByRole('link', { name: 'Launch plan' }).waitFor()
    assert.equal(await ofPlan.getByLabel('Inbox').inputValue(), 'NONE')
    assert.equal(await part.getByLabel('Inbox').first().getByRole('option').count(), 3)
    await part.getByRole('combobox', { name: 'Levels of a document' }).fill('roadmap')
    await page.getByRole('option').filter({ visible: true }).first().click()
    await part
      .getByRole('group', { name: 'roadmap' })
      .getByLabel('E-mail')
      .selectOption('Mentions and replies, once a day')
    const ofDocuments = async () =>
      (await client.call(getNotificationPreferences, { organizationId, userId: 'bob' })).map(({ config, metadata }) => [
        metadata.documentId,
        config,
      ])
    await eventually('the level of the document', async () =>
      JSON.stringify(await ofDocuments()).includes('DIGEST') ? true : undefined,
    )
    await part.getByRole('link', { name: 'Threads of this user' }).click()
    await page.getByText(/^2 in total$/).waitFor()
    assert.deepEqual(faults, [])
  })

  it.runIf(FULL)('trigger what the settings of the key enable', async () => {
    const { client, open } = await newThreads()
    const { page, faults } = await open('settings/comments')
    const form = (name: string) => page.getByRole('form', { name })
    await form('Notifications').getByLabel('Notify of comments').check()
    await form('Notifications').getByLabel('A comment is changed').uncheck()
    const byDocument = form('Notifications').getByRole('group', { name: 'Collect mails by document' })
    await byDocument.getByRole('switch').check()
    await byDocument.getByLabel('Seconds from the first comment').fill('600')
    await byDocument.getByLabel('Comments that fill it').fill('1000')
    await form('Notifications').getByRole('button', { name: 'Save' }).click()
    await page.getByText('The notification settings were saved.').waitFor()
    const { useNotificationService, notificationServiceConfig } = await client.call(getNotificationConfig, {})
    const { document, user } = notificationServiceConfig.batchConfig
    assert.deepEqual(document, { isEnabled: true, batchWindowSeconds: 600, maxActivities: 50 })
    assert.equal(user.isEnabled, false)
    assert.deepEqual([useNotificationService, notificationServiceConfig.triggers.comment.updated], [true, false])
    await form('Activities').getByLabel('Record activities').check()
    await form('Activities').getByRole('button', { name: 'Save' }).click()
    await page.getByText('The activity settings were saved.').waitFor()
    assert.equal((await client.call(getActivityConfig, {})).activityServiceConfig.isEnabled, true)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'E-mail' }).click()
    const mail = page.frameLocator('iframe[title="Mail as HTML"]')
    await mail.getByText('Ada Byron mentioned you in “Prices 2027”').first().waitFor()
    // Its style sheet applies, although the page allows no inline styles.
    assert.notEqual(
      await mail.locator('.button').evaluate((link) => link.ownerDocument.defaultView?.getComputedStyle(link).display),
      'inline',
    )
    await page.getByLabel('Because of').selectOption('A reply')
    await page.getByRole('region', { name: 'Preview' }).getByText('Text', { exact: true }).click()
    await page.getByText(/^Hello,\n\nAda Byron replied/).waitFor()
    await form('E-mail').getByLabel('A comment is added').uncheck()
    await form('E-mail').getByRole('button', { name: 'Save' }).click()
    await page.getByText('The e-mail settings were saved.').waitFor()
    const { emailServiceConfig } = await client.call(getEmailConfig, {})
    assert.deepEqual(emailServiceConfig.triggers.comment, { added: false })
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Webhooks' }).click()
    await form('Basic URLs').getByLabel('The status is changed').uncheck()
    await form('Basic URLs').getByRole('button', { name: 'Save' }).click()
    await page.getByText('The webhook settings were saved.').waitFor()
    const { triggers } = (await client.call(getWebhookConfig, {})).webhookServiceConfig
    assert.deepEqual([triggers.comment.statusChanged, triggers.comment.assigned], [false, true])
    assert.deepEqual(faults, [])
  })
})
