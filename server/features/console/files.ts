/** Serves the built files of the console. Browsers cache assets indefinitely, because their names change with their content. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import cookie from '@fastify/cookie'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { STATUS } from '#contract/core/status.ts'

const ASSETS_MAX_AGE_MS = 365 * 24 * 60 * 60 * 1000

/** The placeholder in the page for the nonce of each response. */
const NONCE = '__NONCE__'

/** The facts about this server that the page needs, by placeholder. */
export interface PageData {
  __HEADER_PREFIX__: string
  /** Whether links to sign in are sent: `true` or `false`. */
  __LOGIN_LINKS__: string
  __CONFIRMS_ADDRESSES__: string
  /** Whether the server has a mail server: `true` or `false`. */
  __SENDS_MAIL__: string
  /** Who may create workspaces: `open`, `token` or `closed`. */
  __SIGNUP__: string
}

/** The packages of the client and of the web components in the folder, of the version of this server. */
const PACKAGES = ['commonhold-client.tgz', 'commonhold-comments.tgz']

const NOT_BUILT = 'The console is not built. Run `npm run build:console`, then start the server again.'

/** Allows only resources of this server. Styles that components insert have the nonce of the page. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The default headers of responses under `/console`: not cached, and not shown in frames. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * Serves `folder` under `/console`, with the packages for users. Paths that are not files return the page, which shows
 * the view. Also parses cookies for the sessions.
 */
export async function serveConsole(app: FastifyInstance, folder: string, data: PageData): Promise<void> {
  await app.register(cookie)
  // By route, because the text of a URL can spell the same path in other ways; without a route, too.
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions
    if (url === undefined || url.startsWith('/console')) reply.headers(HEADERS)
    done()
  })
  const file = path.join(folder, 'index.html')
  const page = existsSync(file) ? pageWith(data, readFileSync(file, 'utf8')) : undefined
  const sendPage = (reply: FastifyReply) => {
    if (page === undefined) return reply.code(STATUS.UNAVAILABLE.http).type('text/plain; charset=utf-8').send(NOT_BUILT)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers({
        'content-security-policy': policy(nonce),
        'cross-origin-opener-policy': 'same-origin',
      })
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE, nonce))
  }
  const quiet = { logLevel: 'warn' as const }
  if (page !== undefined) await app.register(sendFiles, { folder: path.join(folder, 'assets') })
  for (const name of PACKAGES) {
    const file = path.join(folder, name)
    if (!existsSync(file)) continue
    const packed = readFileSync(file)
    app.get(`/console/${name}`, quiet, (_request, reply) => reply.type('application/gzip').send(packed))
  }
  app.get('/console', quiet, (_request, reply) => reply.redirect('/console/'))
  app.get('/console/*', quiet, (_request, reply) => sendPage(reply))
}

const pageWith = (data: PageData, page: string): string =>
  Object.entries(data).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), page)

async function sendFiles(app: FastifyInstance, { folder }: { folder: string }): Promise<void> {
  // Requests that the plugin refuses, such as the name of a folder, are not found.
  app.setErrorHandler((error, _request, reply) => {
    if (((error as { statusCode?: number }).statusCode ?? 500) >= 500) throw error
    reply.callNotFound()
  })
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/console/assets/',
    preCompressed: true,
    acceptRanges: false,
    immutable: true,
    maxAge: ASSETS_MAX_AGE_MS,
    index: false,
    decorateReply: false,
    logLevel: 'warn',
    schemaHide: true,
  })
}
