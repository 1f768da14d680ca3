/** The pages are consistent: links refer to existing files and headings, every page is linked from an entry page, and named files exist. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { ROOT } from '../../scripts/root.ts'
import { anchorsOf, files, read } from './sources.ts'

const PAGES = files('*.md', 'llms.txt', '{sdk,components,clients/*,examples/*,deploy/helm/*}/README.md', 'docs/**/*.md')

const withoutCode = (page: string): string => page.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '')

/** Returns the commands of a page, and their output. */
const fencesOf = (file: string): string =>
  [...read(file).matchAll(/^```(?:sh|console)\n(.*?)^```$/gms)].map(([, commands]) => commands).join('\n')

/** Returns the relative links of a page: the file from the root, and the heading. */
function linksOf(file: string): { to: string; heading: string | undefined }[] {
  return [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const [place = '', heading] = link.split('#')
    return [{ to: place === '' ? file : path.posix.join(path.posix.dirname(file), place), heading }]
  })
}

/** Paths in code spans; `features/x` is any feature, and `dist` is built. */
const NAMED_FILE =
  /`((?:server|contract|test|db|scripts|sdk|components|cli|deploy|examples)\/(?!features\/x`|dist`)\w[\w./-]*)`/g

const PROSE = [...PAGES, ...files('{cli,sdk,components,bench,test}/**/*.md')].filter(
  (file) => !file.startsWith('docs/reference/'),
)

/** Returns whether a line has prose beside its links and code, which cannot be broken; headings, tables and HTML are none. */
const isProse = (line: string): boolean =>
  !/^ *[|#<]/.test(line) && /\S \S/.test(line.replaceAll(/`[^`]*`|\[[^\]]*\]\([^)]*\)/g, '_').replace(/^ *[-*>] /, ''))

const linkedFrom = (...files: string[]) => new Set(files.flatMap(linksOf).map(({ to }) => to))

describe('the pages', () => {
  for (const file of PAGES)
    it(`${file} has no broken links`, () => {
      for (const { to, heading } of linksOf(file)) {
        assert.ok(existsSync(path.join(ROOT, to)), `${to} is not there`)
        if (heading !== undefined) assert.ok(anchorsOf(read(to)).includes(heading), `${to} has no heading #${heading}`)
      }
    })

  it('wrap prose at 120 characters, as the code is', () => {
    const tooLong = PROSE.filter((file) => file.endsWith('.md')).flatMap((file) =>
      read(file)
        .replaceAll(/^( *`{3,}).*?^\1$|<!--.*?-->/gms, '')
        .split('\n')
        .filter((line) => [...line].length > 120 && isProse(line))
        .map((line) => `${file}: ${line}`),
    )
    assert.deepEqual(tooLong, [])
  })

  it('name only existing files of the repository', () => {
    for (const file of PAGES)
      for (const [, named = ''] of read(file).matchAll(NAMED_FILE))
        assert.ok(existsSync(path.join(ROOT, named)), `${file} names ${named}, which is not there`)
  })

  it('name code only in the file that has it', () => {
    for (const file of PAGES)
      for (const [, name = '', link = ''] of read(file).matchAll(
        /`(\w+)`\s+in\s+\[[^\]]+\]\(([^)#\s]+\.(?:tsx?|sql))\)/g,
      )) {
        const named = path.posix.join(path.posix.dirname(file), link)
        assert.match(read(named), new RegExp(`\\b${name}\\b`), `${file} says that ${named} has ${name}`)
      }
  })

  it('name only existing npm scripts', () => {
    const { scripts } = JSON.parse(read('package.json'))
    for (const file of PAGES)
      for (const [, script = ''] of read(file).matchAll(/\bnpm run ([\w-]+)/g))
        assert.ok(script in scripts, `${file} names npm run ${script}, which is not there`)
  })

  it('name only existing commands of the command line', () => {
    const commands = [...read('docs/reference/commands.md').matchAll(/^## commonhold (.+)$/gm)].map(([, name]) => name)
    commands.push('completion') // from a library
    let checked = 0
    for (const file of PAGES)
      for (const [, one = '', two = ''] of [
        ...read(file).matchAll(/`commonhold ([a-z][a-z-]+)(?: ([a-z][a-z-]+))?(?![\w.-])/g),
        ...fencesOf(file).matchAll(
          /(?:(?:^|[|&;($>]) *(?:npx )?commonhold|npm run cli --) ([a-z][a-z-]+)(?: ([a-z][a-z-]+))?(?![\w.-])/gm,
        ),
      ]) {
        checked++
        const isKnown = commands.some(
          (name) => [one, `${one} ${two}`].includes(name ?? '') || (two === '' && name?.startsWith(`${one} `)),
        )
        assert.ok(isKnown, `${file} names commonhold ${one} ${two}, which is not there`)
      }
    assert.ok(checked > 200, `${checked} were checked`)
  })

  const guides = PAGES.filter((file) => /^docs\/(guides|reference)\/|^docs\/[a-z-]+\.md$/.test(file))
  it('are linked from the table of contents', () => {
    const linked = linkedFrom('README.md', 'docs/README.md')
    assert.ok(linkedFrom('README.md').has('docs/README.md'))
    assert.deepEqual(
      guides.filter((file) => !linked.has(file)),
      [],
    )
  })

  it('are linked from llms.txt, each with a line', () => {
    const linked = linkedFrom('llms.txt')
    assert.deepEqual(
      [...guides, 'docs/README.md'].filter((file) => !linked.has(file)),
      [],
    )
    const [title, summary] = read('llms.txt').split('\n\n')
    assert.match(title ?? '', /^# \S+$/)
    assert.match(summary ?? '', /^> .+$/)
    for (const line of read('llms.txt').split('\n'))
      if (line.startsWith('- [')) assert.match(line, /^- \[[^\]]+\]\([^)]+\): \S.+$/)
  })

  it('of decisions are all listed, under their own titles', () => {
    const list = read('docs/adr/README.md')
    for (const file of PAGES.filter((name) => /^docs\/adr\/\d/.test(name))) {
      const [, number = '', title = ''] = /^# (\d{4}) (.+)$/m.exec(read(file)) ?? []
      const entry = `${Number(number)}. [${title}](${path.posix.basename(file)})`
      assert.ok(list.includes(entry), `docs/adr/README.md lacks: ${entry}`)
    }
  })
})
