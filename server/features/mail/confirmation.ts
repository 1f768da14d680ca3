/**
 * Asks owners whether they want mail (`MAIL_CONFIRM_OWNERS`): anybody can name any address as the owner's. The question
 * has a link to a page with a button, because programs that scan mails open links, but press no buttons.
 */

import type { Pipeline } from '#http/pipeline.ts'
import type { Db } from '#platform/db/db.ts'
import { html } from '#platform/html.ts'
import { type Page, sendPage } from '#platform/page.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { ASK, CONFIRM, IS_CONFIRMED, RESET_ASKED } from './address-statements.ts'
import { Refused } from './carriers/message.ts'
import { type Content, confirmationContent } from './content.ts'
import { formPages, notValid } from './pages.ts'

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
      formPages(app, PATH, async (request, reply) => {
        await limits.perAddress.consume(request.ip, reply)
        const address = addressOf(request.query.token)
        if (address === undefined) return sendPage(reply, 404, notValid)
        if (request.method === 'POST') await db.run(CONFIRM, [address])
        return sendPage(reply, 200, pageOf(address, request.method === 'POST'))
      })
    },
  }
}

const pageOf = (address: string, isConfirmed: boolean): Page =>
  isConfirmed
    ? {
        title: 'The address is confirmed',
        body: html`<p>${address} gets mail about its API keys from now on.</p>`,
      }
    : {
        title: 'Confirm your address',
        body: html`<p>Do you want mail about your API keys at ${address}?</p><form method="post"><button>Yes, send mail</button></form>`,
      }
