/** CSV is safe to open in spreadsheets, whatever people have written. */
import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { it } from 'vitest'
import { csvRows, unguarded } from '#sdk/shared/csv-rows.ts'

it('CSV has no cell that a spreadsheet runs, even if its separator is a semicolon and it ignores the quotes', () => {
  for (const name of ['x;=1+1;y', 'x;"=1+1', 'x\n=1+1', 'x\r\n@SUM(1)', '";=1+1;"', 'x; =1+1', 'x;\t=1+1']) {
    const read = csvRows([['2026-01-01', `Kim renamed ${name}`, 'document']])
    for (const cell of read.split(/[;\r\n]+/)) assert.doesNotMatch(cell, /^[\s"]*[=+\-@]/, JSON.stringify(name))
  }
  assert.equal(csvRows([['a;b', 'c', 'd - e']]), '"a;b",c,d - e\r\n')
})

it('CSV has no cell that begins with spaces and then a formula', () => {
  for (const name of [' =1+1', '  +1', '\u00a0-1', ' \t@SUM(1)', '\t=1', '\r=1', ' ＝1', '" =1"'])
    assert.match(csvRows([[name]]), /^"?'/, JSON.stringify(name))
  for (const name of [' Kim', 'a =1', ' "Kim"']) assert.doesNotMatch(csvRows([[name]]), /'/, JSON.stringify(name))
})

it('CSV preserves every text exactly', () => {
  const characters = fc.constantFrom(...'\'=+-@ ;"\t\r\n,a＝\u00a0')
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 12 }), (given) => {
      const text = given.join('')
      const [[read = ''] = []] = parse(`${csvRows([[text, 'end']])}`) as string[][]
      assert.equal(unguarded(read), text)
    }),
    { numRuns: 2_000 },
  )
})
