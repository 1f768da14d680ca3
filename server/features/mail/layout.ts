/** The HTML around the content of our mails: readable on a phone, in light and dark. */
import { type Html, html } from '#platform/html.ts'

/** Returns the page of a mail; `body` uses the classes `thread`, `comment`, `when`, `button` and `foot`. */
export const layoutOf = (subject: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${STYLE}</style>
</head>
<body>
<div class="mail">
${body}
</div>
</body>
</html>
`

const STYLE = html`
body { margin: 0; padding: 24px 12px; background: #f4f5f7; color: #1c1e21; font: 16px/1.5 system-ui, sans-serif; }
.mail { max-width: 560px; margin: 0 auto; }
.thread { margin: 16px 0; padding: 20px 24px; background: #ffffff; border: 1px solid #dfe1e6; border-radius: 8px; }
ul { margin: 0 0 12px; padding-left: 20px; }
li { margin: 0 0 6px; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 18px; line-height: 1.35; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
blockquote { margin: 0 0 12px; padding: 8px 12px; border-left: 3px solid #ffc53d; background: #fff8e6; overflow-wrap: anywhere; }
.comment { margin: 0 0 12px; padding: 0 0 0 12px; border-left: 3px solid #dfe1e6; }
.who { margin: 0; }
.when, .foot { color: #5e6470; font-size: 13px; }
.button { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #2f54eb; color: #ffffff; text-decoration: none; font-weight: 600; }
.foot { margin: 0; }
.foot a { color: inherit; }
@media (prefers-color-scheme: dark) {
body { background: #16181c; color: #e4e6eb; }
.thread { background: #1f2227; border-color: #33373e; }
blockquote { background: #2b2615; }
.comment { border-color: #454a53; }
.when, .foot { color: #a3a9b4; }
}
`
