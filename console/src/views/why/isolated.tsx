/**
 * Renders a sentence of the server. Quoted ids are isolated, so that their characters cannot reorder the words, and times
 * are shown in the browser's time zone.
 */
import { Fragment } from 'react'
import { Timestamp } from '../../components/timestamp.tsx'

export function Isolated({ ids, children }: { ids: readonly string[]; children: string }) {
  const quoted = [...new Set(ids)]
    .filter((id) => id !== '')
    .sort((one, other) => other.length - one.length)
    .map((id) => `"${id}"`)
  return parts(children, quoted).map(({ text, isId, at }) =>
    isId ? <bdi key={at}>{text}</bdi> : <Fragment key={at}>{withMoments(text)}</Fragment>,
  )
}

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/

const withMoments = (words: string) =>
  words
    .split(MOMENT)
    // biome-ignore lint/suspicious/noArrayIndexKey: the sentence never changes
    .map((text, at) => (MOMENT.test(text) ? <Timestamp key={at} at={Date.parse(text)} date /> : text))

interface Part {
  text: string
  isId: boolean
  at: number
}

function parts(sentence: string, quoted: readonly string[]): Part[] {
  const found: Part[] = []
  let from = 0
  for (let at = 0; at < sentence.length; at++) {
    const id = quoted.find((text) => sentence.startsWith(text, at))
    if (id === undefined) continue
    found.push({ text: sentence.slice(from, at), isId: false, at: from }, { text: id, isId: true, at })
    from = at + id.length
    at = from - 1
  }
  return [...found.filter(({ text }) => text !== ''), { text: sentence.slice(from), isId: false, at: from }]
}
