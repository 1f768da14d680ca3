/**
 * `npm run screenshots`: writes a screenshot of every view of the console to `docs/images/`: light, dark and on a phone
 * (`why-light.png`, `why-dark.png`, `why-phone.png`). They show the company of `npm run demo`, with its past of three months, on
 * a temporary server.
 * Arguments are the names of views; the default is all, and the pictures of the example of comments (`comments`) and of mails
 * (`mail-mention`).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Cookie, Page } from 'playwright-core'
import { createWorkspaceClient } from '#sdk/client.ts'
import { startDevServer } from '../cli/connection/server-process.ts'
import { launchBrowser } from './browser.ts'
import { type Credentials, makeOwnDemo } from './demo/own-server.ts'
import { ROOT } from './root.ts'
import { COMMENT_PICTURES, takeComments } from './screenshots/comments.ts'
import { MAIL_PICTURES, takeMails } from './screenshots/mails.ts'
import { VIEWS, type View } from './screenshots/views.ts'

const FOLDER = path.join(ROOT, 'docs/images')

const WIDE = { width: 1280, height: 800 }
const LOOKS: Record<'light' | 'dark' | 'phone', BrowserContextOptions> = {
  light: { viewport: WIDE, colorScheme: 'light' },
  dark: { viewport: WIDE, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true, hasTouch: true },
}

/** The time for fonts to load and animations to finish. */
const SETTLE_MS = 400

async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  const loading = page.locator('.mantine-Skeleton-root, .mantine-Loader-root, [role=progressbar]')
  await loading.or(page.getByText('Loading…')).first().waitFor({ state: 'detached' })
  await page.waitForTimeout(SETTLE_MS)
}

async function take(page: Page, look: string, view: View, url: string): Promise<void> {
  await page.goto(url)
  await settled(page)
  await view.open?.(page)
  if (view.open !== undefined) await settled(page)
  await page.mouse.move(0, 0) // no tooltip for the element under the pointer
  await page.screenshot({ path: path.join(FOLDER, `${view.name}-${look}.png`), animations: 'disabled' })
  process.stdout.write(`  ${view.name}-${look}.png\n`)
}

/** Signs in as a person, the owner of the demo's workspace, and returns the cookies. */
async function signedIn(
  browser: Browser,
  base: string,
  { workspaceId, workspaceToken }: Credentials,
): Promise<Cookie[]> {
  const workspace = createWorkspaceClient({ url: base, workspaceId, workspaceToken })
  const { owner } = await workspace.workspaces.get()
  const { link } = await workspace.operators.invite({ email: owner.email, role: 'owner' })
  if (link === undefined) throw new Error('The server has mailed the link instead of returning it: unset SMTP_URL.')
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Account' }).waitFor()
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

interface SignedInDemo {
  base: string
  demo: Credentials
  cookies: Cookie[]
}

async function takeAll(
  browser: Browser,
  look: string,
  views: readonly View[],
  { base, demo, cookies }: SignedInDemo,
): Promise<void> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...LOOKS[look as keyof typeof LOOKS],
  })
  const page = await context.newPage()
  const addressOf = (view: View) => `${base}/console/${view.address(demo)}`
  for (const view of views.filter(({ signedOut }) => signedOut)) await take(page, look, view, addressOf(view))
  await context.addCookies(cookies)
  for (const view of views.filter(({ signedOut }) => !signedOut)) await take(page, look, view, addressOf(view))
  await context.close()
}

const names = process.argv.slice(2)
const known = [...COMMENT_PICTURES, ...MAIL_PICTURES, ...VIEWS.map(({ name }) => name)]
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) throw new Error(`There is no view ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
const chosen = VIEWS.filter(({ name }) => names.length === 0 || names.includes(name))
mkdirSync(FOLDER, { recursive: true })
const browser = await launchBrowser()
const { light, dark } = LOOKS
if (names.length === 0 || names.some((name) => COMMENT_PICTURES.includes(name)))
  await takeComments(browser, FOLDER, { light, dark })
if (names.length === 0 || names.some((name) => MAIL_PICTURES.includes(name)))
  await takeMails(browser, FOLDER, { light, dark })
if (chosen.length > 0) await takeConsole()
await browser.close()

async function takeConsole(): Promise<void> {
  const data = mkdtempSync(path.join(os.tmpdir(), 'commonhold-pictures-'))
  const demo = await makeOwnDemo(data, (done) => process.stdout.write(`${done}\n`))
  const server = await startDevServer({ DATA_DIR: data, LOG_LEVEL: 'error' }, data)
  const cookies = await signedIn(browser, server.url, demo)
  for (const look of Object.keys(LOOKS)) await takeAll(browser, look, chosen, { base: server.url, demo, cookies })
  await server.stop()
  rmSync(data, { recursive: true })
}
