/** The hashes of inline scripts and styles of the site, with which the policy of the server allows them and nothing else. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DIST } from './pages.ts'

const SCRIPT = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs
const STYLE = /<[a-z][^<>]* style="([^"]*)"/g

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Writes the file that the server reads. */
export function writeHashes(): void {
  const pages = globSync('**/*.html', { cwd: DIST }).map((file) => readFileSync(path.join(DIST, file), 'utf8'))
  const hashesOf = (inline: RegExp) =>
    [...new Set(pages.flatMap((page) => [...page.matchAll(inline)].map(([, text = '']) => hashOf(text))))].sort()
  writeFileSync(path.join(DIST, 'inline.json'), JSON.stringify({ scripts: hashesOf(SCRIPT), styles: hashesOf(STYLE) }))
}
