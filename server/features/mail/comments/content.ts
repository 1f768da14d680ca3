/** Writes a mail about comments as text and as HTML. */
import { type Html, html } from '#platform/html.ts'
import type { Content } from '../content.ts'
import type { Digest, SaidComment, Section } from './digest.ts'
import { type Moment, momentIn } from './times.ts'

const WHY: Record<Digest['reason'], string> = {
  mention: 'You get this mail because you were mentioned.',
  reply: 'You get this mail because you take part in this thread.',
  all: 'You get this mail because you asked for mails about all comments.',
}

const earlierThan = (count: number): string => (count === 1 ? '1 earlier comment' : `${count} earlier comments`)
const moreThan = (count: number): string => (count === 1 ? 'And one more thread.' : `And ${count} more threads.`)
const where = ({ headline, documentName }: Section): string => `${headline} in “${documentName}”`
const stop = ({ organizationName }: Digest): string => `Unsubscribe from mails about comments in “${organizationName}”`

export function digestContent(digest: Digest): Content {
  const { userName, subject, sections, more, reason, timezone, unsubscribeLink } = digest
  const greeting = userName === '' ? 'Hello,' : `Hello ${userName},`
  const moment = momentIn(timezone)
  const zone = `Times are those of ${timezone.replaceAll('_', ' ')}.`
  return {
    subject,
    text: [
      greeting,
      ...sections.map((section) => sectionAsText(section, moment)),
      ...(more > 0 ? [moreThan(more)] : []),
      `-- \n${WHY[reason]} ${zone}\n${stop(digest)}:\n${unsubscribeLink}\n`,
    ].join('\n\n'),
    html: html`<!doctype html>
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
<p>${greeting}</p>
${sections.map((section) => sectionAsHtml(section, moment))}
${more > 0 ? [html`<p>${moreThan(more)}</p>`] : []}
<p class="foot">${WHY[reason]} ${zone}<br><a href="${unsubscribeLink}">${stop(digest)}</a></p>
</div>
</body>
</html>
`.text,
  }
}

function sectionAsText(section: Section, moment: Moment): string {
  const { quote, comments, earlier, link, muteLink } = section
  const quoted = quote === '' ? [] : [indented(quote, '> ')]
  return [
    `${where(section)}:`,
    ...quoted,
    ...(earlier > 0 ? [`(${earlierThan(earlier)})`] : []),
    ...comments.map(({ by, at, text }) => `${by}, ${moment(at)}:\n${indented(text, '    ')}`),
    [...(link === undefined ? [] : [`Open the document: ${link}`]), `Mute this thread: ${muteLink}`].join('\n'),
  ].join('\n\n')
}

const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((each) => `${by}${each}`)
    .join('\n')

function sectionAsHtml(section: Section, moment: Moment): Html {
  const { quote, comments, earlier, link, muteLink } = section
  return html`<div class="thread">
<h1>${where(section)}</h1>
${quote === '' ? [] : [html`<blockquote dir="auto">${lines(quote)}</blockquote>`]}
${earlier > 0 ? [html`<p class="when">${earlierThan(earlier)}</p>`] : []}
${comments.map((comment) => commentAsHtml(comment, moment))}
${link === undefined ? [] : [html`<p><a class="button" href="${link}">Open the document</a></p>`]}
<p class="foot"><a href="${muteLink}">Mute this thread</a></p>
</div>`
}

const commentAsHtml = ({ by, at, text }: SaidComment, moment: Moment): Html => html`<div class="comment">
<p class="who"><b>${by}</b> <span class="when">${moment(at)}</span></p>
<p dir="auto">${lines(text)}</p>
</div>`

/** Keeps the lines of a text. */
const lines = (text: string): Html[] => text.split('\n').map((each, index) => html`${index > 0 ? [BREAK] : []}${each}`)
const BREAK = html`<br>`

const STYLE = html`
body { margin: 0; padding: 24px 12px; background: #f4f5f7; color: #1c1e21; font: 16px/1.5 system-ui, sans-serif; }
.mail { max-width: 560px; margin: 0 auto; }
.thread { margin: 16px 0; padding: 20px 24px; background: #ffffff; border: 1px solid #dfe1e6; border-radius: 8px; }
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
