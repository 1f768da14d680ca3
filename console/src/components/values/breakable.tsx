/** An address of the web or of a person. Lines break after its parts rather than within a word. */
import { Fragment } from 'react'

const PARTS = /(?<=[/@.?&])(?=[^/])/

/** Text with spaces breaks at these. */
export function Breakable({ children: text }: { children: string }) {
  if (/\s/.test(text)) return text
  return text.split(PARTS).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
