/**
 * A real browser for a test file: one for the file, a context of its own for each visit. It is the Chromium of
 * `@sparticuz/chromium`, or the one that `CHROMIUM_PATH` names.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as engine,
  type Page,
} from 'playwright-core'

const CACHE = path.join(import.meta.dirname, '../../../node_modules/.cache/commonhold/chromium')

/** Those of the system and those of the package: there are machines without any. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${CACHE}/fonts</dir>
  <cachedir>${CACHE}/fonts-cache</cachedir>
</fontconfig>
`

export type VisitOptions = BrowserContextOptions

export interface Visit {
  page: Page
  context: BrowserContext
  /** What went wrong in the page meanwhile: errors, failed scripts, violations of the Content-Security-Policy. */
  faults: string[]
}

/** It ends after the tests of the file. */
export async function openBrowser(): Promise<{ visit(url: string, options?: VisitOptions): Promise<Visit> }> {
  const browser = await launch()
  after(() => browser.close())
  return {
    async visit(url, options = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
      const faults: string[] = []
      await context.exposeFunction('reportViolation', (text: string) => faults.push(text))
      await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
        reportViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`)
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
      page.on('console', (message) => {
        // The network says what tests look at themselves, such as a refused call.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          faults.push(message.text())
      })
      await page.goto(url)
      return { page, context, faults }
    },
  }
}

async function launch(): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH
  const folder = own === undefined ? await unpack() : undefined
  return engine.launch({
    executablePath: own ?? path.join(folder ?? '', 'chromium'),
    // Not the flags of the package: they are for another place, and switch off what is tested here.
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    env: { ...process.env, ...(folder && { FONTCONFIG_FILE: path.join(folder, 'fonts.conf') }) },
  })
}

/** Its files once, in a place of ours: many test files begin at the same time. */
async function unpack(): Promise<string> {
  if (existsSync(CACHE)) return CACHE
  mkdirSync(path.dirname(CACHE), { recursive: true })
  const folder = mkdtempSync(`${CACHE}-`)
  const usual = os.tmpdir()
  process.env.TMPDIR = folder
  await chromium.executablePath()
  process.env.TMPDIR = usual
  writeFileSync(path.join(folder, 'fonts.conf'), FONTS)
  try {
    renameSync(folder, CACHE)
  } catch {
    rmSync(folder, { recursive: true, force: true })
  }
  return CACHE
}
