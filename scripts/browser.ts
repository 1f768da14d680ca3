/** A real browser: the Chromium of `@sparticuz/chromium`, or the one that `CHROMIUM_PATH` names. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as engine } from 'playwright-core'
import { ROOT } from './root.ts'

const CACHE = path.join(ROOT, 'node_modules/.cache/commonhold/chromium')

/** Those of the system and those of the package: there are machines without any. */
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
    // Not the flags of the package: they are for another place, and switch off what is tested here.
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    env: { ...process.env, ...(folder && { FONTCONFIG_FILE: path.join(folder, 'fonts.conf') }) },
  })
}

/** Its files once, in a place of ours: many files of tests begin at the same time. */
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
