/** Writes a mail about comments as text and as HTML. */
import { type Html, html } from '#platform/html.ts'
import type { Content } from '../content.ts'
import { layoutOf } from '../layout.ts'
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
const stop = ({ organizationName }: Digest): string =>
  `Unsubscribe from mails about comments in ${organizationName === '' ? 'this organization' : `“${organizationName}”`}`

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
    html: layoutOf(
      subject,
      html`<p>${greeting}</p>
${sections.map((section) => sectionAsHtml(section, moment))}
${more > 0 ? [html`<p>${moreThan(more)}</p>`] : []}
<p class="foot">${WHY[reason]} ${zone}<br><a href="${unsubscribeLink}">${stop(digest)}</a></p>`,
    ).text,
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
