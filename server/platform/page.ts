/**
 * Small pages for people whose browser opens an address of the server itself: links of mails, and the redirects to a
 * sign-in provider and back. They look like the console and need no script.
 */
import { createHash } from 'node:crypto'
import { type Html, html } from './html.ts'

export interface Page {
  title: string
  body: Html
}

/** The colours and sizes of the console (`console/src/tokens.css`), which the browser cannot load here. */
const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#212529, #c9c9c9); --dimmed: light-dark(#495057, #b8b8b8);
  --line: light-dark(#dee2e6, #424242); --accent: light-dark(#364fc7, #a5b8ff); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 1rem;
  background: light-dark(#f8f9fa, #1f1f1f); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main { width: min(32rem, 100%); padding: 2rem; border: 1px solid var(--line); border-radius: 1rem;
  background: light-dark(#fff, #242424); }
.logo { display: flex; align-items: center; gap: .625rem; margin: 0 0 1.25rem; font-weight: 600; }
.logo svg { width: 1.5rem; height: 1.5rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.35; }
p, dl { margin: 0 0 1rem; }
dt { font-size: .875rem; color: var(--dimmed); }
dd { margin: 0 0 .625rem; }
a { color: var(--accent); }
button, .button { display: inline-block; padding: .5rem 1.125rem; border: 0; border-radius: .5rem; background: #3b5bdb; color: #fff;
  font: inherit; font-size: .875rem; font-weight: 600; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.reference { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; color: var(--dimmed); }
code { font-family: ui-monospace, Menlo, Consolas, monospace; user-select: all; }
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const LOGO = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#3b5bdb"/><path d="M8 22V11h6v11m-6-7h6m4 7V8h6v14m-6-9h6m-6 4h6M6 22h20" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** A response of the HTTP library. */
interface Reply<Sent> {
  code(status: number): { headers(values: Record<string, string>): { send(text: string): Sent } }
}

export const sendPage = <Sent>(reply: Reply<Sent>, status: number, { title, body }: Page): Sent =>
  reply
    .code(status)
    .headers(HEADERS)
    .send(
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${html`${title}`.text} · Commonhold</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="logo">${LOGO.text}Commonhold</p>
<h1>${html`${title}`.text}</h1>
${body.text}
</main>
</body>
</html>
`,
    )

/** `requestId`: the log has the details under this id. */
export const reference = (requestId: string): Html =>
  html`<p class="reference">Reference: <code>${requestId}</code><br>The log of the server has the details under it. Give it to the people who run this server.</p>`
