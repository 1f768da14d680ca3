/** Each line of the pages about facts that clients of the hosted original rely on names an existing test. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { ROOT } from '../../scripts/root.ts'

/** The pages, each with its minimum number of lines. */
const PAGES = { 'docs/compatibility.md': 50, 'docs/compatibility-comments.md': 150 }

interface Line {
  fact: string
  file: string
  title: string
}

const rowsOf = (page: string): string[] =>
  readFileSync(path.join(ROOT, page), 'utf8')
    .split('\n')
    .filter((line) => /^\|(?! ---| what )/.test(line))

const linesOf = (rows: readonly string[]): Line[] =>
  rows.map((row) => {
    const [, fact = '', file = '', title = ''] = /^\| (.+) \| \[[\w-]+\]\(\.\.\/([\w./-]+)\): (.+) \|$/.exec(row) ?? []
    return { fact, file, title }
  })

/** Returns the titles of the tests in a file; for a test of each operation or mode, only the constant part of the title. */
function titlesIn(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  return [...text.matchAll(/\bit(?:\.\w+)?(?:\([^()]*\))?\(\s*(['"`])(.*?)(?<!\\)\1,/gs)].map(([, , title = '']) =>
    title.replaceAll(/^(\$\{.*?\}(?: of \$\{.*?\})? )+/g, '').replaceAll('\\`', '`'),
  )
}

describe.each(Object.entries(PAGES))('%s', (page, linesMin) => {
  const rows = rowsOf(page)
  const lines = linesOf(rows)

  it('names a test in each of its lines', () => {
    assert.ok(lines.length >= linesMin)
    assert.deepEqual(
      rows.filter((_, index) => lines[index]?.title === ''),
      [],
    )
    const facts = lines.map(({ fact }) => fact)
    assert.deepEqual(
      facts.filter((fact, index) => facts.indexOf(fact) !== index),
      [],
    )
  })

  for (const [file, ofFile] of Map.groupBy(lines, (line) => line.file))
    it(`names tests that are in ${file}`, () => {
      assert.ok(existsSync(path.join(ROOT, file)))
      const titles = titlesIn(file)
      assert.deepEqual(
        ofFile.filter(({ title }) => !titles.includes(title)).map(({ title }) => title),
        [],
      )
    })
})
