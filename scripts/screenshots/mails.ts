/** Takes the pictures of mails about comments, as a browser shows the text of `server/features/mail/comments/content.ts`. */
import path from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { digestContent } from '#features/mail/comments/content.ts'
import type { Digest, SaidComment, Section } from '#features/mail/comments/digest.ts'

const LINK = 'https://commonhold.example/'
const MORNING = Date.UTC(2026, 10, 23, 7, 40)
const MINUTE = 60_000

const said = (by: string, minutes: number, text: string): SaidComment => ({ by, at: MORNING + minutes * MINUTE, text })
const section = (documentName: string, fields: Pick<Section, 'headline' | 'comments'> & Partial<Section>): Section => ({
  ...{ documentName, quote: '', earlier: 0, link: LINK, muteLink: LINK },
  ...fields,
})
const mail = (fields: Pick<Digest, 'subject' | 'reason' | 'sections'>): Digest => ({
  ...{ userName: 'Bob', organizationName: 'Acme', actor: undefined, more: 0 },
  ...{ timezone: 'Europe/Berlin', unsubscribeLink: LINK },
  ...fields,
})

const PRICES = section('Prices 2027', {
  headline: 'Ada Byron mentioned you',
  quote: 'The price of a seat goes from 8 to 9 euros in January.',
  comments: [
    said('Cyd Evans', 0, 'Nine is what the others ask, too.'),
    said('Ada Byron', 14, '@Bob Marsh is this agreed with sales? Customers of this year may keep their price.'),
  ],
  earlier: 1,
})

const MAILS: Record<string, Digest> = {
  'mail-mention': mail({
    subject: 'Ada Byron mentioned you in “Prices 2027”',
    reason: 'mention',
    sections: [PRICES],
  }),
  'mail-digest': mail({
    subject: '3 comments in “Acme”',
    reason: 'mention',
    sections: [
      PRICES,
      section('Moving to the new office', {
        headline: '2 comments',
        comments: [
          said('Cyd Evans', 55, 'Four people move there. Do we know who?'),
          said('Ada Byron', 61, 'They asked to be asked.\nI do that today.'),
        ],
      }),
    ],
  }),
}

/** The names of the pictures, each light and dark. */
export const MAIL_PICTURES = Object.keys(MAILS)

/** Takes the pictures into a folder. */
export async function takeMails(browser: Browser, folder: string, looks: Record<string, BrowserContextOptions>) {
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext({ ...options, viewport: { width: 640, height: 400 } })
    const page = await context.newPage()
    for (const [name, digest] of Object.entries(MAILS)) {
      await page.setContent(digestContent(digest).html)
      await page.screenshot({ path: path.join(folder, `${name}-${look}.png`), fullPage: true })
      process.stdout.write(`  ${name}-${look}.png\n`)
    }
    await context.close()
  }
}
