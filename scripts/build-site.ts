/**
 * Builds the site of the pages in `site/dist`, which a server serves under `/docs/`; `npm ci` runs it. Fails if a link between pages
 * leads nowhere. Large files have compressed copies.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { ROOT } from './root.ts'
import { copyPages, DIST } from './site/pages.ts'

const SCRIPT = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs
const STYLE = /<[a-z][^<>]* style="([^"]*)"/g

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Writes the hashes of inline scripts and styles of the site, with which the policy of the server allows them and nothing else. */
function writeHashes(): void {
  const pages = globSync('**/*.html', { cwd: DIST }).map((file) => readFileSync(path.join(DIST, file), 'utf8'))
  const hashesOf = (inline: RegExp) =>
    [...new Set(pages.flatMap((page) => [...page.matchAll(inline)].map(([, text = '']) => hashOf(text))))].sort()
  writeFileSync(path.join(DIST, 'inline.json'), JSON.stringify({ scripts: hashesOf(SCRIPT), styles: hashesOf(STYLE) }))
}

const COMPRESSED_BYTES_MIN = 20_000

// The site cannot be built without the development packages.
if (isInstalled('vitepress')) buildSite()
else process.stdout.write('site: not built, because vitepress is not installed\n')

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

function buildSite(): void {
  copyPages()
  rmSync(DIST, { recursive: true, force: true })
  const program = path.join(ROOT, 'node_modules/vitepress/bin/vitepress.js')
  execFileSync(process.execPath, [program, 'build', path.join(ROOT, 'site')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(path.join(DIST, 'hashmap.json'), { force: true })
  for (const file of globSync('**/*.{html,js,css}', { cwd: DIST })) compress(path.join(DIST, file))
  writeHashes()
  const bytes = globSync('**/*.*', { cwd: DIST }).reduce((sum, file) => sum + statSync(path.join(DIST, file)).size, 0)
  process.stdout.write(`site: ${globSync('**/*.html', { cwd: DIST }).length} pages, ${(bytes / 1e6).toFixed(1)} MB\n`)
}

function compress(file: string): void {
  const bytes = readFileSync(file)
  if (bytes.length < COMPRESSED_BYTES_MIN) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
}
