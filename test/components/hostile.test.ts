/** Hostile names and texts from any program are shown as plain text; deleted passages are reported as deleted. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addComments } from '#contract/comments/comments.ts'
import type { FirstComment } from '#contract/comments/inputs.ts'
import type { ThreadRecord } from '#contract/comments/records.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, ON_ROADMAP } from '#testing/threads.ts'
import { misplaced } from '../console/support/layout.ts'
import { ARTICLE, newTeam } from './support/page.ts'
import { button, post, select, thread, writing } from './support/steps.ts'

const server = await sharedServer()
const MARKUP = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`
const TURNED = '\u202Egnorts\u2066'
const HOSTILE_NAME = `${TURNED}</bdi></b>${MARKUP}`.slice(0, 180)

const stored = async (key: Client) =>
  ((await key.call(getThreads, ON_ROADMAP)) as ThreadRecord[])
    .flatMap(({ comments }) => comments)
    .sort((one, other) => one.createdAt - other.createdAt)
const isUntouched = (title: string) => assert.equal(title, 'Roadmap')

/** The rows and boxes that must contain texts of others. */
const TOO_WIDE = `[...document.querySelectorAll('commonhold-comments, commonhold-inbox')].flatMap((host) => {
  const inside = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? inside(one.shadowRoot) : [])])
  const { left, right } = host.getBoundingClientRect()
  return inside(host.shadowRoot).filter((one) => {
    const box = one.getBoundingClientRect()
    return !one.closest('.hidden') && !one.closest('[popover]') && box.width > 0 && (box.right > right + 1 || box.left < left - 1)
  }).map((one) => one.outerHTML.slice(0, 200))
})`

describe('a comment', () => {
  it('with markup, direction marks and a text of 32,768 characters is shown as text', async () => {
    const team = await newTeam(server)
    const { key } = team
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'bob', name: HOSTILE_NAME }] })
    const mention = {
      userId: '</bdi><b>',
      contact: { userId: '</bdi><b>', name: HOSTILE_NAME },
      text: `@${HOSTILE_NAME}`,
    }
    const comments: FirstComment[] = [
      comment('bob', {
        commentText: `Markup ${MARKUP} {{</bdi><b>}} {{nobody}} {{}}`,
        taggedUserContacts: [mention],
      }),
      comment('bob', { commentText: `Turned ${TURNED} around` }),
      comment('bob', {
        commentText: '',
        commentHtml: `<p>Only <b>HTML</b></p>${MARKUP}<p onclick="document.title='run'">lines</p>`,
      }),
      comment('bob', {
        commentText: `javascript:alert(1) https://example.com/"onmouseover="document.title='run' data:text/html,x`,
      }),
    ]
    const annotationId = await addThread(key, { comments, context: { selector: { exact: MARKUP } } })
    const attachments = [
      { attachmentId: 1, name: MARKUP, url: 'https://files.example.com/x' },
      { attachmentId: 2, name: 'script', url: "javascript:document.title='run'" },
    ]
    const long = comment('bob', { commentText: 'x'.repeat(32_768), attachments })
    await key.call(addComments, { ...ON_ROADMAP, annotationId, commentData: [long] })

    const { page, faults } = await team.open('ada')
    const first = thread(page, 'Markup')
    await button(page, 'Show 1 earlier reply').click()
    await first.getByText(`Markup ${MARKUP} @`).waitFor()
    await first.getByText('{{nobody}} {{}}').waitFor()
    await first.getByText('Only HTML\nlines').waitFor()
    await first.getByText('The text is no longer on the page').waitFor()
    assert.deepEqual(
      await first.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ['https://example.com/', 'https://files.example.com/x'],
    )
    const whole = first.getByText('x'.repeat(100))
    assert.ok(((await whole.textContent()) ?? '').length < 2_000)
    await button(page, 'Show all of it').click()
    await until('all of it', async () => (await whole.textContent())?.length === 32_768)
    assert.deepEqual(await misplaced(page), [])
    assert.deepEqual(await page.evaluate(TOO_WIDE), [])
    assert.equal(await first.locator('img, script, b').count(), 0)
    isUntouched(await page.title())
    assert.deepEqual(faults, [])
  })

  it('with 64 KB of HTML is shown as text in good time', async () => {
    const team = await newTeam(server)
    const commentHtml = `<p>Start</p>${'<p'.repeat(20_000)}${'<div>'.repeat(4_000)}`.slice(0, 65_536)
    await addThread(team.key, { comments: [comment('bob', { commentText: '', commentHtml })] })
    const { page } = await team.open('ada')
    await thread(page, 'Start').waitFor()
  })

  it('is written and shown if the policy of the page allows no inline styles, scripts or markup', async () => {
    const policy = [
      ...[
        "default-src 'none'",
        "script-src 'self' 'nonce-page'",
        "style-src 'nonce-page'",
        `connect-src 'self' ${server.url}`,
      ],
      ...['img-src data:', "require-trusted-types-for 'script'", 'trusted-types lit-html'],
    ].join('; ')
    const team = await newTeam(server)
    await addThread(team.key, {
      comments: [comment('bob', { commentText: '', commentHtml: '<p>Only <b>HTML</b></p>' })],
    })
    const { page, faults } = await team.open('ada', { policy })
    await thread(page, 'Only HTML').waitFor()
    await select(page, 'folders')
    await page.getByText('Comment', { exact: true }).click()
    await writing(page).pressSequentially('Here @b')
    await page.getByRole('option', { name: 'Bob' }).click()
    await page.keyboard.press('Control+Enter')
    await thread(page, 'Here @Bob Noyce').waitFor()
    await page.locator('#bell').click()
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(faults, [])
  })

  it('names its author, and those it mentions, by what can be read of them', async () => {
    const team = await newTeam(server)
    const users = [
      { userId: 'bob', name: '\u200B\u3164\uFE0F' },
      { userId: 'cyd', name: '  \u061C\u202Edyc\n ' },
    ]
    await team.key.call(addUsers, { organizationId: 'acme', users })
    await addThread(team.key, { comments: [comment('bob', { commentText: 'Hello' })] })
    const { page } = await team.open('ada')
    await thread(page, 'Hello').getByText('bob', { exact: true }).waitFor()
    await button(page, 'Comment on the page').click()
    await writing(page).pressSequentially('@bob')
    await page.getByRole('option', { name: 'bob' }).click()
    await writing(page).pressSequentially('and @cyd')
    await page.getByRole('option', { name: 'cyd' }).click()
    assert.equal(await writing(page).inputValue(), '@bob and @dyc ')
    await button(page, 'Post').click()
    await thread(page, '@bob and').waitFor()
    const { taggedUserContacts } = (await stored(team.key)).at(-1) ?? {}
    assert.deepEqual(taggedUserContacts?.map(({ userId }) => userId).sort(), ['bob', 'cyd'])
  })

  it('that is too long is refused before it is sent, and kept', async () => {
    const { page } = await (await newTeam(server)).open('ada')
    await button(page, 'Comment on the page').click()
    await post(page, 'x'.repeat(32_769))
    await page.getByRole('alert').getByText('at most 32,768 characters').waitFor()
    assert.equal((await writing(page).inputValue()).length, 32_769)
  })

  it('mentions the right one of two people with the same name, and nobody after the mention was deleted', async () => {
    const team = await newTeam(server)
    const script = `configure({ people: () => [{ userId: 'bob', name: 'Sam' }, { userId: 'sam.2', name: 'Sam' }, { userId: 'cyd', name: 'Samantha' }] })`
    const { page } = await team.open('ada', { script })
    await button(page, 'Comment on the page').click()
    for (const index of [0, 1, 2, 0]) {
      await writing(page).pressSequentially('@sam')
      await page.getByRole('listbox', { name: 'People to mention' }).getByRole('option').nth(index).click()
    }
    assert.equal(await writing(page).inputValue(), '@Sam @Sam (sam.2) @Samantha @Sam ')
    await writing(page).fill('@Sam (sam.2) and @Samantha, but not Sam')
    await button(page, 'Post').click()
    await page.getByText('@Sam and @Cyd Charisse, but not Sam').waitFor() // as her profile says
    const { commentText } = await team.only()
    assert.equal(commentText, '{{sam.2}} and {{cyd}}, but not Sam')
  })
})

describe('a passage', () => {
  it('that changes moves with its text, and is orphaned when it is deleted', async () => {
    const { page } = await (await newTeam(server)).open('ada')
    await select(page, 'Prices stay as they are until the end of the year')
    await button(page, 'Comment on the selection').click()
    await post(page, 'Really?')
    const asked = thread(page, 'Really?')
    await asked.getByRole('button', { name: 'Show in the text' }).waitFor()
    const marked = () =>
      page.evaluate("[...CSS.highlights.get('commonhold-threads')].map((range) => range.toString())") as Promise<
        string[]
      >
    await page.evaluate(
      "document.querySelectorAll('#text p')[1].innerHTML = 'As we said, <b>prices</b> stay as they were until the end of the year. More.'",
    )
    await until(
      'the passage is marked',
      async () => (await marked())[0] === 'prices stay as they were until the end of the year',
    )
    await page.evaluate("document.querySelectorAll('#text p')[1].remove()")
    await asked.getByText('The text is no longer on the page').waitFor()
    assert.deepEqual(await marked(), [])
    await page.evaluate(`document.querySelector('#text').innerHTML = ${JSON.stringify(ARTICLE)}`)
    await asked.getByRole('button', { name: 'Show in the text' }).click()
    assert.deepEqual(await marked(), ['Prices stay as they are until the end of the year'])
  })

  it('leads to its thread with a click, and from the address of the page', async () => {
    const team = await newTeam(server)
    const annotationId = await addThread(team.key, {
      comments: [comment('bob', { commentText: 'Of the original' })],
      targetElement: { elementId: 'text', targetText: 'folders' },
      status: {
        ...{ id: 'RESOLVED', name: 'Resolved', type: 'terminal' },
        ...{ color: '#198f65', lightColor: '#eafbf4', svg: '<svg/>' },
      },
    })
    await addThread(team.key, {
      comments: [comment('bob', { commentText: 'Nowhere' })],
      targetElement: { targetText: 'the free plan' },
    })
    const { page } = await team.open('ada', { search: `?scommentId=${annotationId}` })
    const focused = (text: string) =>
      until(`${text} has the focus`, () =>
        page.evaluate(
          `(document.activeElement.shadowRoot?.activeElement?.shadowRoot?.activeElement?.textContent ?? '').includes('${text}')`,
        ),
      )
    await focused('Of the original')
    const box = (await page.evaluate(
      "(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))([...CSS.highlights.get('commonhold-threads')][0].getBoundingClientRect())",
    )) as { x: number; y: number }
    await page.mouse.click(box.x, box.y)
    await focused('Nowhere')
  })
})
