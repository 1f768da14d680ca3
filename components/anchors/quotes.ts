/** Describes a passage by its text and its surroundings, and finds it again after the text has changed. */
import search from 'approx-string-match'
import type { TargetElement, TextQuote, Thread } from '../connection/records.ts'

/** Characters of the text before and after a passage that are kept with it. */
const CONTEXT_LENGTH = 32
/** A longer passage is described by its beginning. */
const EXACT_LENGTH_MAX = 1_000
/** A shorter passage also occurs by chance: what surrounds it must confirm it. */
const TELLING_LENGTH = 12
/** The part of a passage that may have changed. */
const ERRORS_MAX = 0.4
const SCORE_MIN = 0.65

export interface Place {
  start: number
  end: number
}

/** Returns how a passage is stored: as a TextQuoteSelector, and where programs for the hosted original look for it. */
export function describe(
  text: string,
  { start, end }: Place,
  elementId: string,
): { targetElement: TargetElement; selector: TextQuote } | undefined {
  const passage = whole(text.slice(start, Math.min(end, start + EXACT_LENGTH_MAX)))
  const exact = passage.trim()
  if (exact === '') return undefined
  const from = start + passage.indexOf(exact)
  const prefix = whole(text.slice(Math.max(0, from - CONTEXT_LENGTH), from))
  const suffix = whole(text.slice(from + exact.length, from + exact.length + CONTEXT_LENGTH))
  const occurrence = occurrences(text, exact).indexOf(from) + 1
  return {
    targetElement: { ...(elementId !== '' && { elementId }), targetText: exact, occurrence: Math.max(1, occurrence) },
    selector: { type: 'TextQuoteSelector', exact, prefix, suffix },
  }
}

/** Leaves out half a character at the ends. */
const whole = (text: string): string => text.replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')

/** Returns the passage that a thread is about as it was; undefined for a thread about the whole page. */
export const quoteOf = ({ context, targetElement }: Pick<Thread, 'context' | 'targetElement'>): string | undefined => {
  const { exact } = selectorOf(context?.selector) ?? {}
  return (exact ?? targetElement?.targetText) || undefined
}

/** Returns where the passage of a thread is in a text; undefined when it is no longer there. */
export function find(text: string, thread: Pick<Thread, 'context' | 'targetElement'>): Place | undefined {
  const selector = selectorOf(thread.context?.selector)
  if (selector !== undefined) return findQuote(text, selector)
  const { targetText = '', occurrence = 1 } = thread.targetElement ?? {}
  const exact = targetText.replaceAll(/\s+/g, ' ').trim()
  if (exact === '') return undefined
  const found = occurrences(text, exact)
  const start = found[occurrence - 1] ?? found[0]
  return start === undefined ? findQuote(text, { exact, prefix: '', suffix: '' }) : { start, end: start + exact.length }
}

/** Other programs store what they like in a context. */
function selectorOf(selector: unknown): Pick<TextQuote, 'exact' | 'prefix' | 'suffix'> | undefined {
  const { exact, prefix = '', suffix = '' } = (selector ?? {}) as Record<string, unknown>
  if (typeof exact !== 'string' || exact === '' || typeof prefix !== 'string' || typeof suffix !== 'string')
    return undefined
  return { exact: exact.slice(0, EXACT_LENGTH_MAX), prefix, suffix }
}

function findQuote(
  text: string,
  { exact, prefix, suffix }: Pick<TextQuote, 'exact' | 'prefix' | 'suffix'>,
): Place | undefined {
  const around = ({ start, end }: Place): number => {
    const before = similarity(text.slice(Math.max(0, start - prefix.length), start), prefix)
    const after = similarity(text.slice(end, end + suffix.length), suffix)
    return (before + after) / 2
  }
  const exactly = occurrences(text, exact).map((start) => ({ start, end: start + exact.length }))
  const same = best(exactly, around)
  if (same !== undefined) {
    const isTold = prefix === '' && suffix === ''
    return exact.length >= TELLING_LENGTH || isTold || same.score >= 0.5 ? same.place : undefined
  }
  const similar = search(text, exact, Math.floor(exact.length * ERRORS_MAX))
  const errors = similar[0]?.errors ?? 0
  const closest = best(similar, (place) => 0.6 * (1 - errors / exact.length) + 0.4 * around(place))
  return closest !== undefined && closest.score >= SCORE_MIN ? closest.place : undefined
}

/** Returns the first of the places with the highest score. */
function best(places: readonly Place[], scoreOf: (place: Place) => number) {
  let highest: { place: Place; score: number } | undefined
  for (const { start, end } of places) {
    const score = scoreOf({ start, end })
    if (score > (highest?.score ?? -1)) highest = { place: { start, end }, score }
  }
  return highest
}

/** Returns how much of the pattern a text has, from 0 to 1. */
function similarity(text: string, pattern: string): number {
  if (pattern === '') return 1
  if (text === '') return 0
  const [closest] = search(text, pattern, pattern.length)
  return closest === undefined ? 0 : 1 - closest.errors / pattern.length
}

function occurrences(text: string, exact: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(exact); at !== -1; at = text.indexOf(exact, at + 1)) found.push(at)
  return found
}
