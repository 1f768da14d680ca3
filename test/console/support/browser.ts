/** A real browser for a test file, with a separate context for each visit. */

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { cleanUp } from '#testing/clean-up.ts'
import { launchBrowser } from '../../../scripts/browser.ts'

export type VisitOptions = BrowserContextOptions

export interface Visit {
  page: Page
  context: BrowserContext
  /** The faults of its pages: errors, failed scripts, violations of the Content-Security-Policy. */
  faults: string[]
}

/** Opens a browser that closes after the tests of the file. */
export async function openBrowser(): Promise<{ visit(url: string, options?: VisitOptions): Promise<Visit> }> {
  const browser = await launchBrowser()
  cleanUp(() => browser.close())
  return {
    async visit(url, options = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
      const faults: string[] = []
      await context.exposeFunction('reportViolation', (text: string) => faults.push(text))
      await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
        reportViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`)
      // Generous for busy machines: only failing steps wait this long.
      context.setDefaultTimeout(60_000)
      context.on('weberror', (fault) => faults.push(`error: ${fault.error().stack ?? fault.error().message}`))
      context.on('console', (message) => {
        // Refused calls are logged as well; tests check those themselves.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          faults.push(message.text())
      })
      const page = await context.newPage()
      await page.goto(url)
      return { page, context, faults }
    },
  }
}
