/** Serves the site of the pages under `/docs/`. It loads nothing from elsewhere. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { STATUS } from '#contract/core/status.ts'

const NOT_BUILT = 'The documentation is not built. Run `npm run build:site`, then start the server again.'

/** The browser holds the pages to it. The hashes are those of the few inline scripts and styles, which the build lists. */
function policy(folder: string): string {
  const { scripts, styles } = JSON.parse(readFileSync(path.join(folder, 'inline.json'), 'utf8'))
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    "style-src 'self'",
    `style-src-attr 'unsafe-hashes' ${styles.join(' ')}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Serves `folder`. Pages are fetched again when they have changed; their assets have other names then. */
export async function serveSite(app: FastifyInstance, folder: string): Promise<void> {
  const quiet = { logLevel: 'warn' as const }
  app.get('/docs', quiet, (_request, reply) => reply.redirect('/docs/'))
  if (!existsSync(path.join(folder, 'inline.json'))) {
    app.get('/docs/*', quiet, (_request, reply) =>
      reply.code(STATUS.UNAVAILABLE.http).type('text/plain; charset=utf-8').send(NOT_BUILT),
    )
    return
  }
  await app.register(sendSite, { folder, prefix: '/docs' })
}

async function sendSite(app: FastifyInstance, { folder }: { folder: string }): Promise<void> {
  const headers = {
    'content-security-policy': policy(folder),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
  const missing = readFileSync(path.join(folder, '404.html'), 'utf8')
  app.setNotFoundHandler((_request, reply) =>
    reply.code(STATUS.NOT_FOUND.http).type('text/html; charset=utf-8').send(missing),
  )
  // Requests that the plugin refuses, such as the name of a folder, are not found.
  app.setErrorHandler((error, _request, reply) => {
    if (((error as { statusCode?: number }).statusCode ?? 500) >= 500) throw error
    reply.callNotFound()
  })
  const assets = path.join(folder, 'assets') + path.sep
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/',
    extensions: ['html'],
    preCompressed: true,
    acceptRanges: false,
    decorateReply: false,
    logLevel: 'warn',
    schemaHide: true,
    setHeaders: (reply, file) => {
      reply.header('cache-control', file.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
