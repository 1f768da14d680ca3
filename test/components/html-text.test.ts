/** HTML that other programs have stored becomes readable plain text, in linear time, whatever it contains. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { textOfHtml } from '../../components/words/html-text.ts'

describe('the text of HTML', () => {
  for (const [html, text] of [
    ['<p>One <b>line</b></p><p>another</p>', 'One line\nanother'],
    ['a<br>b<BR/>c<ul><li>d</li><li>e</li></ul>', 'a\nb\ncd\ne'],
    ['1 < 2 &amp;&lt;b&gt; &quot;&#39;&#x41;&nbsp;&eacute;&#0;&#xd800;', '1 < 2 &<b> "\'A\u00a0&eacute;&#0;\ufffd'],
    ['<script>alert("<p>")</script><style>p{}</style>left <img src=x onerror=alert(1)>over', 'left over'],
    ['<script>never ends <p>here', ''],
    ['', ''],
  ] as const)
    it(`of ${JSON.stringify(html)} is ${JSON.stringify(text)}`, () => assert.equal(textOfHtml(html), text))

  it('is read once for each character, whatever is left open', () => {
    const costOf = (count: number): number => {
      const started = performance.now()
      for (const piece of ['<p', '<script ', '<', '&#', '<a href="'])
        for (let times = 0; times < 5; times++) textOfHtml(piece.repeat(count))
      return performance.now() - started
    }
    costOf(4_000)
    assert.ok(costOf(40_000) < 80 * Math.max(1, costOf(4_000)))
  })
})
