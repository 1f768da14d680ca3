/** A real browser for the files of a worker, with a separate context for each visit. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { cleanUp } from '#testing/clean-up.ts'
import { launchBrowser } from '../../../scripts/browser.ts'
import { type Somebody, signedIn } from './sign-in.ts'

export interface VisitOptions extends BrowserContextOptions {
  /** The workspace that is signed in from the beginning. */
  as?: Pick<Somebody, 'workspaceId' | 'workspaceToken'>
}

export interface Visit {
  page: Page
  context: BrowserContext
  /** The faults of its pages: errors, failed scripts, violations of the Content-Security-Policy. */
  faults: string[]
}

let browser: Promise<Browser> | undefined

/** Opens a page in a context of its own, which closes after the test or file. */
export async function openPage(url: string, { as, ...options }: VisitOptions = {}): Promise<Visit> {
  browser ??= launchBrowser()
  const storageState = as && (await signedIn(new URL(url).origin, as))
  const context = await (await browser).newContext({
    ...{ reducedMotion: 'reduce' as const, locale: 'en-GB', storageState },
    ...options,
  })
  cleanUp(() => context.close())
  const faults: string[] = []
  await context.exposeFunction('reportViolation', (text: string) => faults.push(text))
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`)
  // Generous for busy machines: only failing steps wait this long.
  context.setDefaultTimeout(60_000)
  context.on('weberror', (fault) => faults.push(`error: ${fault.error().stack ?? fault.error().message}`))
  context.on('console', (message) => {
    // Refused calls are logged as well; tests check those themselves.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  const page = await context.newPage()
  await page.goto(url)
  return { page, context, faults }
}
