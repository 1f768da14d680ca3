/** Names that contain markup, links or line breaks are plain text in a mail. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { block, firstSeen, line } from './text.ts'

describe('line', () => {
  it('does not change ordinary names', () => {
    for (const name of ['Ada', 'Zoë & Co', 'שלום', '日本語', '👩‍👩‍👧', '<b>', 'O’Hara "x"'])
      assert.equal(line(name), name)
  })

  it('turns any text into one line, in the direction of its letters', () => {
    assert.equal(line('a\r\nBcc: eve@example.com\n\n<p>'), 'a Bcc: eve@example.com <p>')
    assert.equal(line('a\u2028b\u2029c\u0000d\u0085e\u007f'), 'a b c d e')
    assert.equal(line('invoice\u202efdp.exe\u2066x\u200f'), 'invoicefdp.exex')
    assert.equal(line('\ud800a'), '\ufffda')
    assert.equal(line(' \t '), '')
  })

  it('cuts long text between two characters', () => {
    assert.equal(line('👍'.repeat(500)), `${'👍'.repeat(119)}…`)
  })
})

describe('firstSeen', () => {
  it('skips invisible names', () => {
    for (const unseen of [undefined, '', ' ', '\u200b\u202e', '\u3164', '\u2800\ufeff', '\u0000'])
      assert.equal(firstSeen(unseen, 'ada@example.com', 'ada'), 'ada@example.com', JSON.stringify(unseen))
    assert.equal(firstSeen('', undefined), '')
    assert.equal(firstSeen('👩‍👩‍👧', 'ada'), '👩‍👩‍👧')
  })
})

describe('block', () => {
  it('keeps line breaks, removes other control characters, and cuts long text', () => {
    assert.equal(block(' a \r\n\tb\u2028c\n\n\n\nd\u0000\u202ee ', 100), 'a\n b\nc\n\nd e')
    assert.equal(block('👍'.repeat(9), 5), '👍👍👍👍…')
  })
})
