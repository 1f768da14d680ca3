/** Serves the reference page, which shows the OpenAPI document. It loads nothing from elsewhere, and sends nothing there. */
import { randomBytes } from 'node:crypto'
import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'

/** The nonce of the page's inline script. The page is the same for everybody, so that one nonce for the process is enough. */
const NONCE = randomBytes(16).toString('base64')

/** The browser holds the page to it: no other origin is loaded, called or allowed to frame it. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'nonce-${NONCE}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Without what its maker's servers would do: questions to an assistant, sharing, publishing, a client for requests. */
const WITHOUT_SERVICES = {
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never' as const,
  hideClientButton: true,
  telemetry: false,
  withDefaultFonts: false,
}

/**
 * Serves the page from an app of its own, which is made for the first request: its package contains 4 MB of script, which
 * would be a quarter of the work and a fifth of the memory of each start. Each file is made once, because anybody may
 * load it.
 */
export async function registerReference(app: FastifyInstance): Promise<void> {
  let page: ReturnType<typeof createPage> | undefined
  const files = new Map<string, Promise<LightMyRequestResponse>>()
  const fileAt = (url: string) => {
    page ??= createPage()
    const file = files.get(url) ?? page.then((made) => made.inject(url))
    files.set(url, file)
    return file
  }
  app.get('/reference', async (_request, reply) => reply.headers(HEADERS).redirect('/reference/', 301))
  for (const path of ['/reference/', '/reference/js/scalar.js'])
    app.get(path, async (_request, reply) => {
      const { headers, rawPayload } = await fileAt(path)
      return reply.headers({ ...headers, ...HEADERS }).send(rawPayload)
    })
}

async function createPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const page = fastify()
  await page.register(scalar, {
    routePrefix: '/reference',
    configuration: { url: '/openapi.json', pageTitle: 'Commonhold API', nonce: NONCE, ...WITHOUT_SERVICES },
  })
  await page.ready()
  return page
}
