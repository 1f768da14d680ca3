/** CSV is safe to open in spreadsheets, whatever people have written. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { csvRows } from '#sdk/shared/csv-rows.ts'

it('CSV has no cell that a spreadsheet runs, also where its separator is a semicolon, and so ignores the quotes', () => {
  for (const name of ['x;=1+1;y', 'x;"=1+1', 'x\n=1+1', 'x\r\n@SUM(1)', '";=1+1;"', 'x; =1+1', 'x;\t=1+1']) {
    const read = csvRows([['2026-01-01', `Kim renamed ${name}`, 'document']])
    for (const cell of read.split(/[;\r\n]+/)) assert.doesNotMatch(cell, /^[\s"]*[=+\-@]/, JSON.stringify(name))
  }
  assert.equal(csvRows([['a;b', 'c', 'd - e']]), '"a;b",c,d - e\r\n')
})
