/** Elements whose markup exists before they are defined: from a server, from React, or from a program that sets properties early. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { beforeAll, describe, it } from 'vitest'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { sharedServer } from '#testing/server.ts'
import { newTeam, type Team } from './support/page.ts'

/** The React packages as a server has them. Their types would replace those of the DOM in all tests. */
const load = createRequire(import.meta.url)
const { createElement } = load('react') as { createElement: (type: string, attributes: object) => unknown }
const { renderToString } = load('react-dom/server') as { renderToString: (elements: unknown) => string }

const server = await sharedServer()
const NAMED = { organizationId: 'acme', documentId: 'roadmap' }
/** The output of an app's component, with attributes as in JSX. */
const rendered = ['share', 'access'].map((name) => createElement(`commonhold-${name}`, { key: name, ...NAMED }))
const LATER = `const configured = import('/commonhold-comments.js').then(({ configure }) => configure(options))`

let team: Team
let hydrating: string
beforeAll(async () => {
  team = await newTeam(server)
  await team.key.call(updateKeyConfig, { userSharing: 'editors' })
  hydrating = await bundled(`
    import { createElement } from 'react'
    import { createRoot, hydrateRoot } from 'react-dom/client'
    const page = (documentId) => ['share', 'access'].map((name) => createElement('commonhold-' + name,
      { key: name, organizationId: 'acme', documentId, 'oncommonhold-shared': () => {} }))
    const root = document.getElementById('root')
    export const hydrate = () => hydrateRoot(root, page('roadmap'))
    export const create = () => { const made = createRoot(root); made.render(page('roadmap')); return made }
    export const another = (made) => made.render(page('plans'))`)
})

async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, format: 'esm', write: false },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}

/** Opens both dialogs, which say who has access to the document. */
async function assertBothWork(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Who has access', exact: true }).click()
  const access = page.getByRole('dialog', { name: 'Who has access' })
  await access.getByText('Bob Noyce').waitFor()
  await access.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.getByRole('combobox', { name: 'People and groups' }).waitFor()
}

const open = (article: string, setUp: string) =>
  team.open('ada', { article, setUp, attributes: 'hidden', files: { '/app.js': hydrating } })
const root = (html: string) => `<div id="root">${html}</div>`

describe('elements that exist before they are defined', () => {
  it('work in markup from a server, with the names of properties as attributes', async () => {
    const html = renderToString(rendered)
    assert.match(html, /organizationId="acme"/)
    const { page, faults } = await open(html, LATER)
    await assertBothWork(page)
    assert.deepEqual(faults, [])
  })

  for (const [when, setUp] of [
    ['before they are defined', `const { hydrate } = await import('/app.js'); hydrate(); ${LATER}`],
    ['once they are defined', `${LATER}; await configured; const { hydrate } = await import('/app.js'); hydrate()`],
  ] as const)
    it(`work when React hydrates them ${when}`, async () => {
      const { page, faults } = await open(root(renderToString(rendered)), setUp)
      await assertBothWork(page)
      assert.deepEqual(faults, [])
    })

  it('work when React creates them before they are defined, and follow later changes', async () => {
    const setUp = `const { create, another } = await import('/app.js'); const made = create(); ${LATER}
      window.another = () => another(made)`
    const { page } = await open(root(''), setUp)
    await assertBothWork(page)
    await page.evaluate('another()')
    assert.equal(await page.evaluate(`document.querySelector('commonhold-share').documentId`), 'plans')
  })

  it('keep the properties that a program set on them', async () => {
    const html = '<commonhold-share></commonhold-share> <commonhold-access></commonhold-access>'
    const setUp = `for (const one of document.querySelectorAll('commonhold-share, commonhold-access'))
        Object.assign(one, { organizationId: 'acme', documentId: 'roadmap', ...options })
      await import('/commonhold-comments.js')`
    const { page, faults } = await open(html, `${setUp}`)
    await assertBothWork(page)
    assert.deepEqual(faults, [])
  })

  it('read each name of two words in both spellings, in threads and inbox too', async () => {
    const { page } = await open(
      '<commonhold-comments id="threads" organizationid="acme" DOCUMENTID="roadmap" pageurl="https://example.com/" pollseconds="7"></commonhold-comments>' +
        '<commonhold-inbox id="bell" organizationId="acme"></commonhold-inbox>',
      LATER,
    )
    await page.locator('#threads').getByText('No comments yet').first().waitFor()
    const read = `(({ organizationId, documentId, pageUrl, pollSeconds }) => [organizationId, documentId, pageUrl, pollSeconds])`
    assert.deepEqual(await page.evaluate(`${read}(document.getElementById('threads'))`), [
      ...['acme', 'roadmap', 'https://example.com/', 7],
    ])
    assert.equal(await page.evaluate(`document.getElementById('bell').organizationId`), 'acme')
    const others = ['https://example.com/other', 'https://example.com/', null]
    assert.deepEqual(
      await page.evaluate(`(() => {
        const one = document.getElementById('threads')
        one.setAttribute('page-url', 'https://example.com/other')
        const urls = [one.pageUrl]
        for (const name of ['page-url', 'pageurl']) {
          one.removeAttribute(name)
          urls.push(one.pageUrl)
        }
        return urls
      })()`),
      others,
    )
    // The same in the other order.
    assert.deepEqual(
      await page.evaluate(`(() => {
        const one = document.getElementById('threads')
        one.setAttribute('page-url', 'https://example.com/other')
        one.setAttribute('pageurl', 'https://example.com/')
        const urls = []
        for (const name of ['pageurl', 'page-url']) {
          one.removeAttribute(name)
          urls.push(one.pageUrl)
        }
        return urls
      })()`),
      ['https://example.com/other', null],
    )
  })
})
