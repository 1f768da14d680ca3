/** Cuts the part of a text that a search has found. */
import { LIMITS } from '#contract/core/limits.ts'

/** How much of the text before the first word that was found is shown. */
const BEFORE = 60

const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}+/gu, '')

/** Returns an excerpt around the first of the words of a folded query that the text has, on one line. */
export function excerptOf(text: string, folded: string): string {
  const line = text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  const max = LIMITS.searchExcerptCharactersMax
  if (line.length <= max) return line
  const at = Math.max(0, positionIn(line, folded))
  const start = Math.max(0, Math.min(at - BEFORE, line.length - max))
  const [before, after] = [start > 0 ? '…' : '', start + max < line.length ? '…' : '']
  return (
    before +
    line
      .slice(start, start + max)
      .toWellFormed()
      .replaceAll('\ufffd', '') +
    after
  )
}

function positionIn(line: string, folded: string): number {
  const words = folded.split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map((word) => RegExp.escape(word)).join('|')})`, 'iu')
  const plain = withoutAccents(line)
  return plain.length === line.length ? plain.search(pattern) : line.search(pattern)
}
