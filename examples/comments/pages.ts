/** The pages of the app: the document with its comments, signing in, and the mails. */
import type { Mail } from './mailbox.ts'
import { PEOPLE } from './session.ts'
import { DOCUMENT, ORGANIZATION } from './set-up.ts'

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`)

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,">
  <style>
    :root { color-scheme: light dark; font: 1.0625rem / 1.6 system-ui, sans-serif }
    body { max-width: 1080px; margin: 0 auto; padding: 0 24px 48px }
    header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 16px 0; border-bottom: 1px solid light-dark(#ddd, #444) }
    header strong { margin-inline-end: auto }
    .columns { display: grid; grid-template-columns: minmax(0, 1fr) 360px; gap: 40px; align-items: start; margin-top: 24px }
    h1 { margin-top: 0; line-height: 1.2 }
    iframe { width: 100%; height: 560px; border: 1px solid light-dark(#ddd, #444); background: #fff }
    @media (max-width: 820px) { .columns { display: block } }
  </style>
</head>
<body>${body}</body>
</html>`

export const signInPage = (): string =>
  page(
    'Sign in',
    `<h1>Who are you?</h1><p>Open this page in several browsers, or in private windows, as different people.</p><ul>${Object.entries(
      PEOPLE,
    )
      .map(([id, { name, accessRole }]) => `<li><a href="/sign-in/${id}">${name}</a>, ${accessRole}</li>`)
      .join('')}</ul>`,
  )

export const documentPage = (user: keyof typeof PEOPLE): string =>
  page(
    'Roadmap',
    `
<header>
  <strong>Acme</strong> <span>${PEOPLE[user].name}</span> <a href="/sign-out">Sign out</a> <a href="/mails">Mails</a>
  <commonhold-share organization-id="${ORGANIZATION}" document-id="${DOCUMENT}"></commonhold-share>
  <commonhold-access organization-id="${ORGANIZATION}" document-id="${DOCUMENT}"></commonhold-access>
  <commonhold-inbox organization-id="${ORGANIZATION}"></commonhold-inbox>
</header>
<div class="columns">
  <main id="text">
    <h1>Roadmap for the year</h1>
    <p>In spring we release folders. Everybody can sort documents into them, and what may be seen of a folder may be seen
      of everything in it.</p>
    <p>In summer the price of the team plan goes from 8 to 9 euros for each person and month. The free plan stays free,
      and it keeps all that it has today.</p>
    <p>In autumn we open the office in Lisbon. Four people move there, two more are hired in the city.</p>
  </main>
  <aside>
    <commonhold-comments organization-id="${ORGANIZATION}" document-id="${DOCUMENT}" for="text"></commonhold-comments>
  </aside>
</div>
<script type="module" src="/page.js"></script>`,
  )

export const mailsPage = (mails: readonly Mail[]): string =>
  page(
    'Mails',
    `<header><strong>Mails</strong> <a href="/">Back to the roadmap</a></header>
${mails.length === 0 ? '<p>No mails yet. Mention somebody, then reload this page.</p>' : ''}
${mails
  .map(
    // Without a sandbox, a mail could do anything that this page can. Its links open other pages.
    ({ to, subject, html }) =>
      `<h2>${escaped(subject)}</h2><p>To ${escaped(to)}</p><iframe title="Mail to ${escaped(to)}" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${escaped(`<base target="_blank">${html}`)}"></iframe>`,
  )
  .join('')}`,
  )

/** The program of the page: where the server is, and how to get a token from this app. */
export const pageProgram = (url: string): string => `
import { configure } from '/commonhold-comments.js'

configure({
  url: ${JSON.stringify(url)},
  token: async () => {
    const response = await fetch('/commonhold-token', { method: 'POST' })
    if (response.ok) return response.text()
    if (response.status === 401) return '' // nobody is signed in
    throw new Error('no token: ' + response.status) // the elements try again
  },
})
`
