/** Serves the reference page, which shows the OpenAPI document. It loads nothing from elsewhere, and sends nothing there. */
import { randomBytes } from 'node:crypto'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

/** Of the page's inline script. The page is the same for everybody, so that one nonce for the process is enough. */
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

export async function registerReference(app: FastifyInstance): Promise<void> {
  await app.register(async (page) => {
    page.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS)
    })
    await page.register(scalar, {
      routePrefix: '/reference',
      configuration: { url: '/openapi.json', pageTitle: 'Commonhold API', nonce: NONCE, ...WITHOUT_SERVICES },
    })
  })
}
