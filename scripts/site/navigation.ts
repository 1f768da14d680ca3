/** The navigation of the site: the sections of the table of contents, each page under its title. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../root.ts'
import { linksOf, placesOfPages } from './pages.ts'

const CONTENTS = 'docs/README.md'

interface Item {
  text: string
  link: string
}

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
const titleOf = (file: string): string => (/^# (.+)$/m.exec(read(file))?.[1] ?? file).replaceAll('`', '')

/** Returns the navigation for the theme: links to the first pages at the top, all pages at the side. */
export function navigation(): { nav: Item[]; sidebar: { text: string; collapsed: boolean; items: Item[] }[] } {
  const places = placesOfPages()
  const itemOf = (file: string): Item => ({
    text: titleOf(file),
    link: `/${(places.get(file) ?? '').replace(/(?:index)?\.md$/, '')}`,
  })
  const [, ...sections] = read(CONTENTS).split(/^## /m)
  const sidebar = sections.map((section) => ({
    text: section.split('\n', 1)[0] ?? '',
    collapsed: false,
    items: [...new Set(linksOf(section, CONTENTS))].filter((file) => places.has(file)).map(itemOf),
  }))
  const first = ['docs/concepts.md', 'docs/guides/take-the-tour.md', 'docs/reference/operations.md']
  return {
    nav: first.map(itemOf),
    sidebar: [{ text: 'Start', collapsed: false, items: [itemOf('README.md')] }, ...sidebar],
  }
}
