/** Each view of the console, of comments and of mails has pictures, and a page shows each of them. `npm run screenshots` writes them. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { COMMENT_PICTURES } from '../../scripts/screenshots/comments.ts'
import { MAIL_PICTURES } from '../../scripts/screenshots/mails.ts'
import { VIEWS } from '../../scripts/screenshots/views.ts'
import { files, read } from './sources.ts'

const LOOKS = ['light', 'dark', 'phone']

const shownIn = (page: string): string[] =>
  [...read(page).matchAll(/(?:src|srcset)="([^"]+\.png)"/g)].map(([, picture = '']) =>
    path.posix.join(path.posix.dirname(page), picture),
  )

describe('the pictures of the console', () => {
  it('show every view that has an address', () => {
    const addresses = VIEWS.map(
      (view) => view.address({ apiKey: '$apiKey', productionKey: '$apiKey' }).split('?')[0] ?? '',
    )
    const routes = [...read('console/src/router.tsx').matchAll(/\bpath: '([^']+)'/g)].map(([, route = '']) => route)
    assert.ok(routes.length > 15)
    // The view of an endpoint is opened from the list, because the server assigns its id; the link for signing in
    // redirects.
    const others = ['/', 'webhooks/$endpointId', 'sign-in/$place']
    const paths = routes.filter((route) => !others.includes(route))
    assert.deepEqual(
      paths.filter((route) => !addresses.some((address) => `/${address}`.endsWith(`/${route}`))),
      [],
    )
  })

  it('exist for light and dark, those of the console for a phone too, and all are shown on a page', () => {
    const views = VIEWS.flatMap(({ name }) => LOOKS.map((look) => `${name}-${look}`))
    const others = [...COMMENT_PICTURES, ...MAIL_PICTURES].flatMap((name) => [`${name}-light`, `${name}-dark`])
    const expected = [...views, ...others].map((name) => `docs/images/${name}.png`).sort()
    assert.deepEqual(files('docs/images/*.png'), expected)
    const guides = ['use-the-console', 'add-comments-to-your-page', 'share-on-your-page', 'send-mail'].map(
      (name) => `docs/guides/${name}.md`,
    )
    const shown = ['README.md', ...guides].flatMap(shownIn)
    assert.deepEqual([...new Set(shown)].sort(), expected)
  })
})
