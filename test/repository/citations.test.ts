/** Every cited rule is in docs/rules, every rule names existing code, and no citation refers to a document outside the repository. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { anchorsOf, files, read } from './sources.ts'

const RULES = new Map(files('docs/rules/*.md').map((page) => [page, read(page)]))
const ANCHORS = new Map([...RULES].map(([page, text]) => [page, anchorsOf(text)]))

const CODE = files(
  '{contract,server,cli,moving,test,scripts,bench}/**/*.ts',
  'sdk/{*.ts,generated/*.ts}',
  'console/src/**/*.ts*',
)
const TEXTS = [
  ...CODE.filter((file) => file !== 'test/repository/citations.test.ts'),
  ...files('db/migrations/*.sql', 'docs/reference/openapi.json', 'test/golden/*.sql'),
  ...files('{docs,deploy}/**/*.{md,yaml}', '{sdk,components,console,cli}/*.md', '*.md', 'llms.txt'),
]

const CITATION = /\brules\/([a-z-]+\.md)#([a-z0-9-]+)/g

/** Documents that were once cited and are not in the repository. */
const OUTSIDE = [
  /(?<![-/])\bdecisions\.md\b/,
  /\b[Dd]ecisions? [A-G](?:\d{1,2}\b|(?=[),;]))/,
  /\baccess-model\b/i,
  /\bdata-model\b/i,
  /\bspecification \d/i,
  /\bspecification\.txt\b/i,
  /\b(?:house|core|clients)\.md\b/i,
  /\(core \d/i,
  /(?<!\/)\b(?:comments|core)\.md \d/,
  /\bcore of the contract\b/i,
  /\bhouse rules?\b/i,
]

/** Returns the part of a rule that begins with “Code:”. */
const codeOf = (section: string): string => section.split(/^(?=Code: )/m)[1]?.split(/\n\n/)[0] ?? ''

const linkedFrom = (page: string, code: string): string[] =>
  [...code.matchAll(/\]\(([^)#]+)/g)].map(([, to = '']) => path.posix.join(path.posix.dirname(page), to))

const namedIn = (code: string): string[] => [...code.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name)

describe('citations of rules', () => {
  it('refer to a heading', () => {
    let citations = 0
    for (const file of TEXTS)
      for (const [citation, page = '', anchor = ''] of read(file).matchAll(CITATION)) {
        citations++
        assert.ok(ANCHORS.get(`docs/rules/${page}`)?.includes(anchor), `${file} cites ${citation}, which is not there`)
      }
    assert.ok(citations > 100, 'the citations were not found')
  })

  it('do not refer to documents outside the repository', () => {
    for (const file of TEXTS)
      for (const outside of OUTSIDE) {
        const [found] = outside.exec(read(file)) ?? []
        assert.equal(found, undefined, `${file} cites “${found}”, which is not in the repository`)
      }
  })
})

describe('the pages of rules', () => {
  it('are all in their index', () => {
    for (const page of RULES.keys())
      if (!page.endsWith('README.md'))
        assert.ok(read('docs/rules/README.md').includes(`](${path.posix.basename(page)})`), `${page} is not in it`)
  })

  it('have each heading once, so that an anchor is one rule', () => {
    for (const [page, anchors] of ANCHORS) assert.deepEqual(anchors, [...new Set(anchors)], page)
  })

  it('name, for each rule, the code that keeps it', () => {
    for (const [page, text] of RULES)
      for (const section of text.split(/^### /m).slice(1)) {
        const code = codeOf(section)
        assert.notEqual(code, '', `${page} names no code for: ${section.split('\n')[0]}`)
        const linked = linkedFrom(page, code).map(read)
        for (const name of namedIn(code))
          assert.ok(
            linked.some((file) => new RegExp(`\\b${name}\\b`).test(file)),
            `${page} names ${name}, which is in no file that the rule links`,
          )
      }
  })
})
