/**
 * Copies the pages for the site: all of `docs/`, and some others. Links to files that are not pages become plain text,
 * and pictures are omitted, because they would make the site twenty times as large.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../root.ts'

/** Pages outside `docs/`, and their paths on the site. */
const BESIDE: Readonly<Record<string, string>> = {
  'README.md': 'start.md',
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'sdk/README.md': 'clients/typescript.md',
  'clients/python/README.md': 'clients/python.md',
  'clients/go/README.md': 'clients/go.md',
  'components/README.md': 'clients/web-components.md',
  'deploy/helm/commonhold/README.md': 'helm-chart.md',
}

/** The folder of the site's sources, and the folder of the built site. */
export const PAGES_FOLDER = path.join(ROOT, 'site/pages')
export const DIST = path.join(ROOT, 'site/dist')

/** Returns the path of each page on the site, by its file. */
export function placesOfPages(): Map<string, string> {
  const docs = globSync('docs/**/*.md', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'))
  const places = docs.map((file) => [file, file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')] as const)
  return new Map([...places, ...Object.entries(BESIDE)])
}

/** Writes the pages to their paths. */
export function copyPages(): void {
  const places = placesOfPages()
  rmSync(PAGES_FOLDER, { recursive: true, force: true })
  for (const [file, place] of places) {
    mkdirSync(path.dirname(path.join(PAGES_FOLDER, place)), { recursive: true })
    writeFileSync(path.join(PAGES_FOLDER, place), pageOfSite(readFileSync(path.join(ROOT, file), 'utf8'), file, places))
  }
}

const CODE = /^( *`{3,}).*?^\1$|`[^`\n]+`/gms
const COMMENT = /<!--.*?-->\n?/gs
const PICTURE = /<picture>.*?<\/picture>\n*|<img [^>]*>\n?|!\[[^\]]*\]\([^)]*\)/gs
const LINK = /(?<!!)\[((?:[^\][]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)/g

const fileOf = (to: string, from: string): string => path.posix.join(path.posix.dirname(from), to)

/** Returns the files that a text in a file links to. */
export const linksOf = (text: string, from: string): string[] =>
  [...text.matchAll(LINK)].map(([, , to = '']) => fileOf(to, from))

/** Returns a page with its links rewritten for the site. */
function pageOfSite(page: string, file: string, places: ReadonlyMap<string, string>): string {
  const code: string[] = []
  const folder = path.posix.dirname(places.get(file) ?? '')
  return page
    .replaceAll(CODE, (text) => `\uE000${code.push(text) - 1}\uE001`)
    .replaceAll(COMMENT, '')
    .replaceAll(PICTURE, '')
    .replaceAll(LINK, (_link, text: string, to: string, heading = '') => {
      const place = places.get(fileOf(to, file))
      return place === undefined ? text : `[${text}](./${path.posix.relative(folder, place)}${heading})`
    })
    .replaceAll(/\uE000(\d+)\uE001/g, (_, index: string) => code[Number(index)] ?? '')
}
