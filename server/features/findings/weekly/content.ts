/** Writes the weekly mail of findings, as text and as HTML. All text from callers has passed `line` or `block`. */
import { block, type Content, layoutOf, line } from '#features/mail/shared.ts'
import { type Html, html } from '#platform/html.ts'

/** The findings of an API key, or of the workspace itself. */
export interface Part {
  title: string
  sentences: readonly string[]
  /** There may be more than these. */
  isCut: boolean
  link: string
}

export interface Weekly {
  name: string
  workspaceName: string
  parts: readonly Part[]
  /** API keys beyond the number that one mail examines. */
  keysLeftOut: number
  unsubscribeLink: string
}

/** A mail says no more of one part, and of a sentence. */
const SENTENCES_MAX = 10
const SENTENCE_CHARACTERS_MAX = 400

const WHY = 'You get this mail once a week, if there are findings, because the weekly mail is switched on for you.'

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

export function weeklyContent({ name, workspaceName, parts, keysLeftOut, unsubscribeLink }: Weekly): Content {
  const workspace = line(workspaceName)
  const count = parts.reduce((sum, { sentences }) => sum + sentences.length, 0)
  const isCut = parts.some((part) => part.isCut)
  const things = `${isCut ? 'more than ' : ''}${counted(count, 'thing is', 'things are')} worth a look`
  const subject = line(`${things.slice(0, 1).toUpperCase()}${things.slice(1)} in “${workspace}”`)
  const greeting = line(name) === '' ? 'Hello,' : `Hello ${line(name)},`
  const opening = `${things} in the workspace “${workspace}”. Each can be changed in the console after a preview.`
  const first = `${opening.slice(0, 1).toUpperCase()}${opening.slice(1)}`
  const leftOut =
    keysLeftOut === 0 ? [] : [`${counted(keysLeftOut, 'more API key was', 'more API keys were')} not examined.`]
  const stop = `Unsubscribe from this mail about “${workspace}”`
  return {
    subject,
    text: [greeting, first, ...parts.map(partAsText), ...leftOut, `-- \n${WHY}\n${stop}:\n${unsubscribeLink}\n`].join(
      '\n\n',
    ),
    html: layoutOf(
      subject,
      html`<p>${greeting}</p>
<p>${first}</p>
${parts.map(partAsHtml)}
${leftOut.map((each) => html`<p>${each}</p>`)}
<p class="foot">${WHY}<br><a href="${unsubscribeLink}">${stop}</a></p>`,
    ).text,
  }
}

const shownOf = ({ sentences, isCut }: Part): { shown: string[]; more: string[] } => {
  const rest = sentences.length - SENTENCES_MAX
  const counting = isCut ? 'and more' : `and ${rest.toLocaleString('en')} more`
  return {
    shown: sentences.slice(0, SENTENCES_MAX).map((each) => block(each, SENTENCE_CHARACTERS_MAX).replaceAll('\n', ' ')),
    more: rest > 0 || isCut ? [counting] : [],
  }
}

function partAsText(part: Part): string {
  const { shown, more } = shownOf(part)
  return `${line(part.title)}:\n\n${[...shown, ...more].map((each) => `- ${each}`).join('\n')}\n\nOpen in the console: ${part.link}`
}

function partAsHtml(part: Part): Html {
  const { shown, more } = shownOf(part)
  return html`<div class="thread">
<h1>${line(part.title)}</h1>
<ul>
${[...shown, ...more].map((each) => html`<li dir="auto">${each}</li>`)}
</ul>
<p><a class="button" href="${part.link}">Open in the console</a></p>
</div>`
}
