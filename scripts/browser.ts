/** Launches a real browser: the Chromium of `@sparticuz/chromium`, or the one at `CHROMIUM_PATH`. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as engine } from 'playwright-core'
import { ROOT } from './root.ts'

const CACHE = path.join(ROOT, 'node_modules/.cache/commonhold/chromium')

/** Fonts of the system and of the package, because some machines have none. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${CACHE}/fonts</dir>
  <cachedir>${CACHE}/fonts-cache</cachedir>
</fontconfig>
`

export async function launchBrowser(): Promise<Browser> {
  const own = process.env.CHROMIUM_PATH
  const folder = own === undefined ? await unpack() : undefined
  return engine.launch({
    executablePath: own ?? path.join(folder ?? '', 'chromium'),
    // The flags of the package are for serverless platforms and disable features that the tests need.
    // One process for all pages of a server: they share the compiled scripts.
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--process-per-site'],
    env: { ...process.env, ...(folder && { FONTCONFIG_FILE: path.join(folder, 'fonts.conf') }) },
  })
}

/** Unpacks the browser once, into our cache. The rename is atomic, because several test files may start at the same time. */
async function unpack(): Promise<string> {
  if (existsSync(CACHE)) return CACHE
  mkdirSync(path.dirname(CACHE), { recursive: true })
  const folder = mkdtempSync(`${CACHE}-`)
  const originalTmpdir = os.tmpdir()
  process.env.TMPDIR = folder
  await chromium.executablePath()
  process.env.TMPDIR = originalTmpdir
  writeFileSync(path.join(folder, 'fonts.conf'), FONTS)
  try {
    renameSync(folder, CACHE)
  } catch {
    rmSync(folder, { recursive: true, force: true })
  }
  return CACHE
}
