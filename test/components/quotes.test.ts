/** Passages are found again in changed texts, and are not found after they were deleted. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { describe as describeQuote, find } from '../../components/anchors/quotes.ts'

const TEXT =
  'The first release of the year brings folders for everybody. Prices stay as they are until the end of the year, and the free plan stays free. The second release brings groups for everybody.'

/** Returns the stored form of a passage; `nth` is the number of the occurrence. */
function stored(passage: string, nth = 0, text = TEXT) {
  let start = text.indexOf(passage)
  for (let left = nth; left > 0; left--) start = text.indexOf(passage, start + 1)
  const anchor = describeQuote(text, { start, end: start + passage.length }, 'text')
  assert.ok(anchor !== undefined)
  return { targetElement: anchor.targetElement, context: { selector: anchor.selector } }
}

/** Returns the text at the position where a passage is found. */
function foundIn(text: string, thread: Parameters<typeof find>[1]): string | undefined {
  const place = find(text, thread)
  return place && text.slice(place.start, place.end)
}

describe('a passage', () => {
  it('is found at its position, also among others with the same text', () => {
    for (const nth of [0, 1]) {
      const place = find(TEXT, stored('for everybody', nth))
      assert.equal(place?.start, [...TEXT.matchAll(/for everybody/g)][nth]?.index)
    }
  })

  it('is found after text was put before it, and after its surroundings changed', () => {
    const passage = stored('the free plan stays free')
    assert.equal(foundIn(`A new introduction. ${TEXT}`, passage), 'the free plan stays free')
    const others = 'Something else. In short: the free plan stays free, for good.'
    assert.equal(foundIn(others, passage), 'the free plan stays free')
  })

  it('is found after a few of its own words changed', () => {
    const passage = stored('Prices stay as they are until the end of the year')
    const changed = TEXT.replace('Prices stay as they are', 'Prices will stay as they were')
    assert.equal(foundIn(changed, passage), 'Prices will stay as they were until the end of the year')
  })

  it('is orphaned when it was deleted or rewritten, or was short and everything around it changed', () => {
    const passage = stored('Prices stay as they are until the end of the year')
    assert.equal(foundIn(TEXT.replace(/Prices.*?free\. /, ''), passage), undefined)
    assert.equal(
      foundIn(TEXT.replace(/Prices.*?free\. /, 'Nobody knows what anything will cost. '), passage),
      undefined,
    )
    assert.equal(foundIn('You may choose the colour of your year.', stored('year')), undefined)
  })

  it('of programs of the hosted original is found by its text and occurrence', () => {
    const target = (occurrence?: number) => ({ targetElement: { targetText: 'for\n everybody', occurrence } })
    assert.equal(find(TEXT, target(2))?.start, TEXT.lastIndexOf('for everybody'))
    assert.equal(find(TEXT, target())?.start, TEXT.indexOf('for everybody'))
    assert.equal(find(TEXT, { targetElement: { targetText: '' } }), undefined)
    assert.equal(find(TEXT, {}), undefined)
  })

  it('is ignored if a program stores something else under the same name', () => {
    for (const selector of [null, 'folders', 7, [], { exact: 7 }, { exact: '' }, { exact: 'folders', prefix: 7 }])
      assert.equal(find(TEXT, { context: { selector } as never }), undefined)
  })

  it('that is long is stored by its beginning, without half a character', () => {
    const text = `${'x'.repeat(999)}😀 and more`
    const anchor = describeQuote(text, { start: 0, end: text.length }, '')
    assert.deepEqual(anchor?.targetElement, { targetText: 'x'.repeat(999), occurrence: 1 })
  })

  it('is found at its position, whatever was inserted before, after or between the others', () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/)
    const words = fc.array(word, { minLength: 12, maxLength: 60 })
    fc.assert(
      fc.property(words, fc.nat(), words, (before, at, more) => {
        const start = at % (before.length - 6)
        const passage = before.slice(start, start + 6).join(' ')
        const text = before.join(' ')
        const nth = text.slice(0, before.slice(0, start).join(' ').length + 1).split(passage).length - 1
        const thread = stored(passage, nth, text)
        assert.equal(foundIn(`${more.join(' ')} ${text} ${more.join(' ')}`, thread), passage)
      }),
      { numRuns: 200 },
    )
  })
})
