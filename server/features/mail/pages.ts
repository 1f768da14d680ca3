/** Small pages with one button, for people who are not signed in. */
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '#platform/html.ts'
import type { Page } from '#platform/page.ts'

export const notValid: Page = {
  title: 'This link is not valid',
  body: html`<p>Open the link of the mail again, or copy all of it.</p>`,
}

type Handler = (
  request: FastifyRequest<{ Querystring: { key?: string; token?: string; again?: string } }>,
  reply: FastifyReply,
) => Promise<FastifyReply>

/**
 * Serves a page and its button, which sends a form whose fields are ignored. Bodies of any type are taken: a mail
 * program should send the one click as `multipart/form-data`, and may send it as a browser does (RFC 8058, 3.2).
 */
export function formPages(
  app: FastifyInstance,
  url: string,
  handler: Handler,
  config: Pick<FastifyContextConfig, 'ofApiKey'> = {},
): void {
  app.register(async (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    for (const method of ['GET', 'POST'] as const)
      scope.route({ method, url, handler, config: { isPage: true, ...config } })
  })
}
