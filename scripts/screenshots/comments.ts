/**
 * Three people in three browsers comment on the page of `examples/comments`; the pictures show the page, the inbox and
 * the dialogs of sharing as Ada sees them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { ROOT } from '../root.ts'

/** The names of the pictures, each light and dark. */
export const COMMENT_PICTURES = ['comments', 'inbox', 'share', 'who-has-access']

/** The margin around a dialog. */
const MARGIN = 32

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const thread = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })

/** Starts the example with a server of its own, on a free port. Ends with the returned process. */
export async function startCommentsExample(): Promise<{ url: string; child: ChildProcess }> {
  const script = path.join(ROOT, 'scripts/comments-example.ts')
  const child = spawn(process.execPath, [script], { env: { ...process.env, PORT: '0' } })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        const [started] = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output) ?? []
        if (started !== undefined) resolve(started)
      })
    child.once('close', () => reject(new Error(`the example did not start:\n${output}`)))
  })
  return { url, child }
}

/** Signs in, and waits for the comments. */
export async function enter(page: Page, url: string, person: string): Promise<Page> {
  await page.goto(`${url}/sign-in/${person}`)
  await button(page, 'Comment on the page').waitFor()
  return page
}

/** Comments on a passage. `@…` mentions the person whose name begins like this. */
export async function commentOn(page: Page, passage: string, ...texts: string[]): Promise<void> {
  await page.evaluate(`{
    const walker = document.createTreeWalker(document.querySelector('#text'), NodeFilter.SHOW_TEXT)
    const passage = ${JSON.stringify(passage)}
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(passage)
      if (at !== -1) getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + passage.length)
    }
  }`)
  await button(page, 'Comment on the selection').click()
  await write(page, 'Comment', texts)
  await page.keyboard.press('Control+Enter')
  await thread(page, passage).waitFor()
}

async function reply(page: Page, to: string, ...texts: string[]): Promise<void> {
  await thread(page, to).getByRole('button', { name: 'Reply' }).click()
  await write(page, 'Reply', texts)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('textbox', { name: 'Reply' }).waitFor({ state: 'detached' })
}

async function write(page: Page, field: string, texts: readonly string[]): Promise<void> {
  const textbox = page.getByRole('textbox', { name: field, exact: true })
  for (const text of texts) {
    await textbox.pressSequentially(text)
    if (!text.startsWith('@')) continue
    await page.getByRole('listbox', { name: 'People to mention' }).getByRole('option').first().click()
  }
}

/** The comments of the three people. */
export async function converse(ada: Page, bob: Page, cyd: Page): Promise<void> {
  await commentOn(ada, 'from 8 to 9 euros', '@bob', 'is this agreed with sales?')
  await commentOn(cyd, 'Four people move there', 'Do we know who? ', '@ada', 'wants to be asked.')
  await thread(bob, 'is this agreed').waitFor()
  await reply(bob, 'is this agreed', 'Yes, since May. Customers of this year keep their price.')
  await commentOn(bob, 'The free plan stays free', 'For good, or for this year?')
}

/** Opens the dialog Share, and chooses somebody to edit. */
async function chooseEditor(page: Page, name: string): Promise<Locator> {
  await button(page, 'Share').click()
  const share = page.getByRole('dialog', { name: 'Share this document' })
  await share.getByRole('combobox', { name: 'People and groups' }).fill(name)
  await share.getByRole('option', { name }).click()
  await share.getByLabel('Role').selectOption('Can edit')
  await share.getByText('Can edit, no longer').waitFor()
  return share
}

/** Lets somebody edit by a grant of their own, which the list can then change. */
async function shareWith(page: Page, name: string): Promise<void> {
  const share = await chooseEditor(page, name)
  await share.getByRole('button', { name: 'Share', exact: true }).click()
  await share.getByText('Access changed.').waitFor({ state: 'attached' })
}

/** Takes the dialogs of sharing; nothing is changed. */
async function takeSharing(page: Page, file: (name: string) => string): Promise<void> {
  const share = await chooseEditor(page, 'Bob Noyce')
  await takeDialog(page, share, file('share'))
  await button(page, 'Who has access').click()
  const access = page.getByRole('dialog', { name: 'Who has access' })
  await access.getByRole('combobox').waitFor()
  await takeDialog(page, access, file('who-has-access'))
}

async function takeDialog(page: Page, dialog: Locator, path: string): Promise<void> {
  const { x, y, width, height } = (await dialog.boundingBox()) ?? { x: 0, y: 0, width: 100, height: 100 }
  const clip = { x: x - MARGIN, y: y - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN }
  await page.screenshot({ path, animations: 'disabled', clip })
  await dialog.getByRole('button', { name: 'Close' }).click()
}

/** Takes the pictures into a folder. */
export async function takeComments(browser: Browser, folder: string, looks: Record<string, BrowserContextOptions>) {
  const { url, child } = await startCommentsExample()
  const open = async (person: string, look: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...look })
    const page = await context.newPage()
    // The page of Ada must not report threads as read, because the bell in the pictures would be empty.
    if (person === 'ada') await page.route('**/v2/commentannotations/read', (route) => route.abort())
    return enter(page, url, person)
  }
  const ada = await open('ada')
  await converse(ada, await open('bob'), await open('cyd'))
  await shareWith(ada, 'Cyd Charisse')
  for (const [look, options] of Object.entries(looks)) {
    const page = await open('ada', { ...options, viewport: { width: 1120, height: 850 } })
    await thread(page, 'For good').waitFor()
    await page.screenshot({ path: path.join(folder, `comments-${look}.png`), animations: 'disabled' })
    await page.locator('#bell').click()
    await page.getByRole('dialog', { name: 'Notifications' }).getByRole('listitem').first().waitFor()
    await page.screenshot({
      path: path.join(folder, `inbox-${look}.png`),
      animations: 'disabled',
      clip: { x: 560, y: 0, width: 560, height: 420 },
    })
    process.stdout.write(`  comments-${look}.png inbox-${look}.png\n`)
    await page.keyboard.press('Escape')
    await takeSharing(page, (name) => path.join(folder, `${name}-${look}.png`))
    process.stdout.write(`  share-${look}.png who-has-access-${look}.png\n`)
  }
  const exited = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await exited
}
