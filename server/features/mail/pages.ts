/** Small pages with one button, for people who are not signed in. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from './text.ts'

export interface Page {
  title: string
  body: Html
}

export const notValid: Page = {
  title: 'This link is not valid',
  body: html`<p>Open the link of the mail again, or copy all of it.</p>`,
}

type Handler = (
  request: FastifyRequest<{ Querystring: { token?: string; again?: string } }>,
  reply: FastifyReply,
) => Promise<FastifyReply>

/** Serves a page and its button, which sends a form whose fields are ignored. */
export function formPages(app: FastifyInstance, url: string, handler: Handler): void {
  app.register(async (scope: FastifyInstance) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    for (const method of ['GET', 'POST'] as const) scope.route({ method, url, handler })
  })
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export const answerWithPage = (reply: FastifyReply, status: number, { title, body }: Page): FastifyReply =>
  reply
    .code(status)
    .headers(HEADERS)
    .send(
      html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
${body}
</html>
`.text,
    )
