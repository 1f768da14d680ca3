/** The console's files: built once, kept by browsers for ever under names that change with what is in them. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import cookie from '@fastify/cookie'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { STATUS } from '#contract/status.ts'

const ASSETS_MAX_AGE_MS = 365 * 24 * 60 * 60 * 1000

/** In the page, where the nonce of each answer goes. */
const NONCE = '__NONCE__'

/** And where the page finds out how the headers of this server are called. */
const HEADER_PREFIX = '__HEADER_PREFIX__'

const NOT_BUILT = 'The console is not built. Run `npm run build:console`, then start the server again.'

/** Nothing but what this server sends; the styles that the components write carry the nonce of the page. */
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

/** Of every answer under `/console`, unless it says otherwise: it is kept by nobody and shown by nothing. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Serves `folder` under `/console`; what names no file there is a view of the page. Reads the cookies of sessions. */
export async function serveConsole(app: FastifyInstance, folder: string, headerPrefix: string): Promise<void> {
  await app.register(cookie)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/console')) reply.headers(HEADERS)
    done()
  })
  const file = path.join(folder, 'index.html')
  const page = existsSync(file) ? readFileSync(file, 'utf8').replaceAll(HEADER_PREFIX, headerPrefix) : undefined
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
  const hidden = { schema: { hide: true }, logLevel: 'warn' as const }
  if (page !== undefined) await app.register(sendFiles, { folder: path.join(folder, 'assets') })
  app.get('/console', hidden, (_request, reply) => reply.redirect('/console/'))
  app.get('/console/*', hidden, (_request, reply) => sendPage(reply))
}

async function sendFiles(app: FastifyInstance, { folder }: { folder: string }): Promise<void> {
  // What the plugin refuses, such as the name of a folder, is none of our files.
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
