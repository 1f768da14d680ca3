/** Names that try to be markup, links or further lines in a mail stay text. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { block, firstSeen, line } from './text.ts'

describe('line', () => {
  it('leaves names as they are', () => {
    for (const name of ['Ada', 'Zoë & Co', 'שלום', '日本語', '👩‍👩‍👧', '<b>', 'O’Hara "x"'])
      assert.equal(line(name), name)
  })

  it('makes one line, in the direction of its letters, of anything', () => {
    assert.equal(line('a\r\nBcc: eve@example.com\n\n<p>'), 'a Bcc: eve@example.com <p>')
    assert.equal(line('a\u2028b\u2029c\u0000d\u0085e\u007f'), 'a b c d e')
    assert.equal(line('invoice\u202efdp.exe\u2066x\u200f'), 'invoicefdp.exex')
    assert.equal(line('\ud800a'), '\ufffda')
    assert.equal(line(' \t '), '')
  })

  it('ends what is too long between two characters', () => {
    assert.equal(line('👍'.repeat(500)), `${'👍'.repeat(119)}…`)
  })
})

describe('firstSeen', () => {
  it('passes over names that nobody can see', () => {
    for (const unseen of [undefined, '', ' ', '\u200b\u202e', '\u3164', '\u2800\ufeff', '\u0000'])
      assert.equal(firstSeen(unseen, 'ada@example.com', 'ada'), 'ada@example.com', JSON.stringify(unseen))
    assert.equal(firstSeen('', undefined), '')
    assert.equal(firstSeen('👩‍👩‍👧', 'ada'), '👩‍👩‍👧')
  })
})

describe('block', () => {
  it('keeps lines and nothing else that is no letter, and ends what is too long', () => {
    assert.equal(block(' a \r\n\tb\u2028c\n\n\n\nd\u0000\u202ee ', 100), 'a\n b\nc\n\nd e')
    assert.equal(block('👍'.repeat(9), 5), '👍👍👍👍…')
  })
})
