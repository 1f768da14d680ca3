/** A page with the web components in a real browser: a text, comments beside it and an inbox, for people of one organization. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CommentRecord, ThreadRecord } from '#contract/comments/records.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { addDomains } from '#contract/keys/domains.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import { afterThisFile } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import type { TestServer } from '#testing/server.ts'
import { ON_ROADMAP } from '#testing/threads.ts'
import { bundleComponents } from '../../../scripts/comments-package.ts'
import { openPage, type Visit, type VisitOptions } from '../../console/support/browser.ts'

export const ARTICLE = `<h1>Roadmap</h1>
  <p>The first release of the year brings <em>folders</em> for everybody.</p>
  <p>Prices stay as they are until the end of the year, and the free plan stays free.</p>`

/** The elements of sharing, about the document of the page. */
export const SHARING = ['share', 'access']
  .map((name) => `<commonhold-${name} organization-id="acme" document-id="roadmap"></commonhold-${name}>`)
  .join(' ')

const NAMES: Record<string, string> = { ada: 'Ada Lovelace', bob: 'Bob Noyce', cyd: 'Cyd Charisse' }
const ROLES = { ada: 'editor', bob: 'commenter', cyd: 'viewer' } as const
export type PersonId = keyof typeof ROLES

export interface Team {
  key: Client
  /** Opens the page as somebody; `script` runs in it after the elements are set up. */
  open(as: PersonId, options?: PageOptions): Promise<Visit>
  /** Returns the only comment. */
  only(): Promise<CommentRecord>
}

interface PageOptions extends VisitOptions {
  article?: string
  /** Attributes of the list of threads. */
  attributes?: string
  html?: string
  script?: string
  /** A module instead of the one that sets the elements up at once. */
  setUp?: string
  /** Files that the page loads, by their paths. */
  files?: Readonly<Record<string, string>>
  search?: string
  /** The Content-Security-Policy of the page, whose own script and styles have the nonce `page`. */
  policy?: string
}

const pageOf = (
  personId: string,
  server: string,
  { article, attributes, html, script, setUp }: PageOptions,
) => `<!doctype html>
<html ${html ?? 'lang="en"'}><head><meta charset="utf-8"><title>Roadmap</title><link rel="icon" href="data:,">
<style nonce="page">
  :root { color-scheme: light dark }
  body { display: grid; grid-template-columns: minmax(0, 1fr) 360px; gap: 24px; margin: 24px; font-family: sans-serif }
  @media (width < 700px) { body { display: block } }
</style>
<script type="module" nonce="page">
  ${setUp === undefined ? "import { configure } from '/commonhold-comments.js'" : ''}
  const options = {
    url: ${JSON.stringify(server)},
    token: async () => (await fetch('/token?as=${personId}')).text(),
    pollSeconds: 600,
  }
  ${setUp ?? 'configure(options)'}
  ${script ?? ''}
</script></head>
<body><main id="text">${article ?? ARTICLE}</main>
<aside aria-label="Discussion"><commonhold-inbox organization-id="acme"></commonhold-inbox>
<commonhold-comments organization-id="acme" document-id="roadmap" for="text" ${attributes ?? ''}></commonhold-comments></aside>
</body></html>`

/** Creates an organization with a document that three people can open, each with another role. */
export async function newTeam(server: TestServer): Promise<Team> {
  const key = await server.newKey()
  await key.call(updateKeyConfig, {
    accessRoles: ['viewer', 'commenter', 'editor'],
    defaultDocumentAccessType: 'organizationPrivate',
  })
  await key.call(addDomains, { domains: ['127.0.0.1'] })
  await key.call(updateNotificationConfig, { useNotificationService: true })
  const organizationId = 'acme'
  await key.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: 'roadmap' }] })
  const users = Object.entries(ROLES).map(([userId, accessRole]) => ({ userId, accessRole, name: NAMES[userId] ?? '' }))
  await key.call(addUsers, { organizationId, users })
  const pages = new Map<string, AppPage>()
  const app = await startApp(key, pages)
  return {
    key,
    async only() {
      const threads = (await key.call(getThreads, ON_ROADMAP)) as ThreadRecord[]
      const [first, ...others] = threads.flatMap(({ comments }) => comments)
      assert.ok(first !== undefined && others.length === 0)
      return first
    },
    open(as, { article, attributes, html, script, setUp, files = {}, search = '', policy = '', ...visit } = {}) {
      const path = `/${pages.size}`
      pages.set(path, { page: pageOf(as, server.url, { article, attributes, html, script, setUp }), policy, files })
      return openPage(`${app}${path}${search}`, visit)
    },
  }
}

interface AppPage {
  page: string
  policy: string
  files: Readonly<Record<string, string>>
}

let bundle: ReturnType<typeof bundleComponents> | undefined

/** Serves the pages, the components, and a token to every caller. */
async function startApp(key: Client, pages: ReadonlyMap<string, AppPage>): Promise<string> {
  bundle ??= bundleComponents()
  const { program: script } = await bundle
  const app = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://app')
    if (pathname === '/commonhold-comments.js') return response.setHeader('content-type', 'text/javascript').end(script)
    if (pathname === '/token')
      return response.end((await key.call(generateToken, { userId: searchParams.get('as') ?? '' })).token)
    const file = pages
      .values()
      .map(({ files }) => files[pathname])
      .find((found) => found !== undefined)
    if (file !== undefined) return response.setHeader('content-type', 'text/javascript').end(file)
    const { page = '', policy = '' } = pages.get(pathname) ?? {}
    if (policy !== '') response.setHeader('content-security-policy', policy)
    return response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
  })
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  afterThisFile(() => {
    app.closeAllConnections()
    app.close()
  })
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`
}
