/** Text that is put into HTML is escaped. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { html } from './html.ts'

describe('html', () => {
  it('escapes everything except escaped HTML', () => {
    const item = html`<li>${`<script>"'&`}</li>`
    assert.equal(html`<ul>${[item, item]}</ul>`.text, `<ul>${item.text}\n${item.text}</ul>`)
    assert.equal(item.text, '<li>&lt;script&gt;&quot;&#39;&amp;</li>')
  })
})
