/**
 * Asks owners whether they want mail (`MAIL_CONFIRM_OWNERS`): anybody can name any address as the owner's. The question has a link
 * to a page with a button, because programs that look through mails open links, but press no buttons.
 */
import type { FastifyInstance } from 'fastify'
import type { Pipeline } from '#http/pipeline.ts'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { ASK, CONFIRM, IS_CONFIRMED, RESET_ASKED } from './address-statements.ts'
import { type Content, confirmationContent } from './content.ts'
import { Refused } from './message.ts'
import { type Html, html } from './text.ts'

export interface ConfirmationDeps {
  db: Db
  sealer: Sealer
  publicUrl: () => string
  isRequired: boolean
}

const PATH = '/mail/confirm'
const CONTEXT = { column: 'mail_addresses.address', row: '' }

export type Confirmation = ReturnType<typeof createConfirmation>

export function createConfirmation({ db, sealer, publicUrl, isRequired }: ConfirmationDeps) {
  const linkFor = (address: string): string =>
    `${publicUrl()}${PATH}?token=${sealer.seal(address, CONTEXT).toString('base64url')}`

  /** Returns the address that a token was made for, or undefined. */
  function addressOf(token: unknown): string | undefined {
    try {
      return sealer.open(Buffer.from(String(token), 'base64url'), CONTEXT)
    } catch {
      return undefined
    }
  }

  async function isConfirmed(address: string): Promise<boolean> {
    const [known] = await db.run(IS_CONFIRMED, [address])
    return known?.confirmed ?? false
  }

  return {
    isConfirmed,

    /** Throws unless the owner has confirmed the address. Sends the question with `send`, once a day at most. */
    async require(address: string, send: (content: Content) => Promise<unknown>): Promise<void> {
      if (!isRequired) return
      if (await isConfirmed(address)) return
      const [asked] = await db.run(ASK, [address])
      if (asked !== undefined)
        await send(confirmationContent(linkFor(address))).catch(async (error: unknown) => {
          await db.run(RESET_ASKED, [address])
          throw error
        })
      throw new Refused('The owner has not confirmed the address yet; the link to do so was sent to it.', false)
    },

    routes({ app, limits }: Pipeline): void {
      app.register(async (scope: FastifyInstance) => {
        // The button sends an empty form.
        scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
          payload.resume()
          done(null)
        })
        for (const method of ['GET', 'POST'] as const)
          scope.route<{ Querystring: { token?: string } }>({
            method,
            url: PATH,
            handler: async (request, reply) => {
              await limits.perAddress.consume(request.ip, reply)
              const address = addressOf(request.query.token)
              if (address !== undefined && method === 'POST') await db.run(CONFIRM, [address])
              return reply
                .code(address === undefined ? 404 : 200)
                .headers(PAGE_HEADERS)
                .send(pageOf(address, method === 'POST'))
            },
          })
      })
    },
  }
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function pageOf(address: string | undefined, isConfirmed: boolean): string {
  const [title, body]: [string, Html] =
    address === undefined
      ? ['This link is not valid', html`<p>Open the link of the mail again, or copy all of it.</p>`]
      : isConfirmed
        ? ['The address is confirmed', html`<p>${address} gets mail about its API keys from now on.</p>`]
        : [
            'Confirm your address',
            html`<p>Do you want mail about your API keys at ${address}?</p><form method="post"><button>Yes, send mail</button></form>`,
          ]
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
${body}
</html>
`.text
}
