/** A real browser for the files of a worker, and its contexts: each visit has one to itself, emptied of earlier visits. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { cleanUp } from '#testing/clean-up.ts'
import { launchBrowser } from '../../../scripts/browser.ts'
import { type Somebody, signedIn } from './sign-in.ts'

export interface VisitOptions extends BrowserContextOptions {
  /** The workspace that is signed in from the beginning. */
  as?: Pick<Somebody, 'workspaceId' | 'workspaceToken'>
  /** Whether the visit sets the clock of its page. It cannot be put back, so no other visit gets the context. */
  setsClock?: boolean
}

interface Visitor {
  context: BrowserContext
  /** The faults of its pages: errors, failed scripts, violations of the Content-Security-Policy. */
  faults: string[]
}

export interface Visit extends Visitor {
  page: Page
}

let browser: Promise<Browser> | undefined

/** Contexts without a visit, by their options. A context is used again because it has the scripts in its cache. */
const idle = new Map<string, Visitor[]>()

/** Opens a page in a context that no other visit has until the end of the test or file. */
export async function openPage(url: string, { as, setsClock = false, ...options }: VisitOptions = {}): Promise<Visit> {
  const { origin } = new URL(url)
  const key = JSON.stringify(options)
  const visitor = idle.get(key)?.pop() ?? (await newVisitor(options))
  const { context, faults } = visitor
  cleanUp(async () => {
    if (setsClock) return context.close()
    await Promise.all(context.pages().map((page) => page.close()))
    await context.setOffline(false)
    idle.set(key, [...(idle.get(key) ?? []), visitor])
  })
  faults.length = 0
  const page = await context.newPage()
  await forget(page, origin)
  if (as !== undefined) await context.addCookies((await signedIn(origin, as)).cookies)
  await page.goto(url)
  return { page, context, faults }
}

/**
 * Refused calls are logged as well, and tests check those themselves. The frame with a mail runs no scripts, also not that
 * of `newVisitor`, which reports violations.
 */
const EXPECTED = /^Failed to load resource|^Blocked script execution in 'about:srcdoc'/

async function newVisitor(options: BrowserContextOptions): Promise<Visitor> {
  browser ??= launchBrowser()
  const context = await (await browser).newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
  const faults: string[] = []
  await context.exposeFunction('reportViolation', (text: string) => faults.push(text))
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`)
  // Generous for busy machines: only failing steps wait this long.
  context.setDefaultTimeout(60_000)
  context.on('weberror', (fault) => faults.push(`error: ${fault.error().stack ?? fault.error().message}`))
  context.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text())
  })
  return { context, faults }
}

/** Removes what earlier visits left: cookies, and whatever the pages of this server stored. */
async function forget(page: Page, origin: string): Promise<void> {
  await page.context().clearCookies()
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb,cache_storage' })
  await protocol.detach()
}
