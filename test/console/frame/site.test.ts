/** The site of the pages, as a server serves it, in a real browser: pages, links and the search, without anything from another server. */
import assert from 'node:assert/strict'
import { globSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { ensureSite } from '#testing/processes/build.ts'
import { startServer } from '#testing/server.ts'
import { ROOT } from '../../../scripts/root.ts'
import { openPage } from '../support/browser.ts'

/** The images in the repository are twice as large. */
const BYTES_MAX = 12_000_000
const DIST = path.join(ROOT, 'site/dist')

await ensureSite()
const server = await startServer()

describe('the site', () => {
  it('shows pages, follows links and finds words, and requests nothing from another server', async () => {
    const { page, context, faults } = await openPage(`${server.url}/healthz`)
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    await page.goto(`${server.url}/docs`)
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Using the client' }).click()
    await page.getByRole('heading', { level: 1, name: 'Using the client' }).waitFor()
    assert.equal(page.url(), `${server.url}/docs/guides/use-the-client`)

    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill('throwOnItemFailure')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/use-the-client#/)

    await page.goto(`${server.url}/docs/reference/operations`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(server.url) && !/^(data|blob):/.test(url)),
      [],
    )
    assert.deepEqual(faults, [])
  })

  it('has each page under its path, and allows no foreign scripts and styles there', async () => {
    for (const file of globSync('**/*.html', { cwd: DIST }).filter((name) => name !== '404.html')) {
      const response = await fetch(`${server.url}/docs/${file.replace(/(?:index)?\.html$/, '')}`)
      assert.equal(response.status, 200, file)
      const policy = response.headers.get('content-security-policy') ?? ''
      assert.match(policy, /^default-src 'none'; script-src 'self'.*frame-ancestors 'none'$/)
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/)
    }
  })

  it('is small', () => {
    const bytes = globSync('**/*.*', { cwd: DIST }).map((file) => statSync(path.join(DIST, file)).size)
    assert.ok(bytes.reduce((sum, one) => sum + one, 0) < BYTES_MAX)
  })
})
