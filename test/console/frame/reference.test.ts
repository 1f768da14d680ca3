/** The reference page shows the API document in a real browser, and neither loads from nor sends to another server. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { sharedServer } from '#testing/server.ts'
import { openPage } from '../support/browser.ts'

const server = await sharedServer()

describe('the reference page', () => {
  it('shows the operations under its own title, those of permissions first, and requests nothing from another server', async () => {
    const { page, context, faults } = await openPage(`${server.url}/healthz`)
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    await page.goto(`${server.url}/reference/`)
    await page.getByText('Add permissions').first().waitFor()
    await page.evaluate('new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 500)))')
    assert.equal(await page.title(), 'Commonhold API')
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(server.url) && !/^(data|blob):/.test(url)),
      [],
    )
    // A library of the page tries whether it may compile text, and does without it.
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith('policy: script-src eval')),
      [],
    )
    for (const offer of ['Ask AI', 'Share', 'Deploy', 'Generate MCP', 'Open API Client'])
      assert.equal(await page.getByText(offer).filter({ visible: true }).count(), 0, offer)
  })

  it('must not be framed or call other servers, however its path is spelt', async () => {
    for (const path of ['/reference', '/reference/', '/%72eference/', '/reference/js/scalar.js']) {
      const { headers } = await fetch(server.url + path, { redirect: 'manual' })
      assert.match(headers.get('content-security-policy') ?? '', /connect-src 'self'.*frame-ancestors 'none'/, path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    }
  })
})
