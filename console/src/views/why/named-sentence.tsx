/**
 * Renders a sentence of the server with names: the name of a thing replaces its quoted id, which is shown on hover. Ids
 * without a name stay as they are. Both are isolated, so that their characters cannot reorder the words. Times are shown in
 * the browser's time zone, and access types in words.
 */
import { Fragment, type ReactNode } from 'react'
import { ACCESS_TYPES } from '../../access-types.ts'
import classes from '../../components/people/sentence.module.css'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { shownName } from '../../shown-name.ts'
import type { Thing } from './named-things.ts'

export function NamedSentence({ things, children }: { things: readonly Thing[]; children: string }) {
  return parts(children, things).map(({ node, at }) => <Fragment key={at}>{node}</Fragment>)
}

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/

const withMoments = (words: string) =>
  words
    .replaceAll('organizationPrivate', ACCESS_TYPES.organizationPrivate.label.toLowerCase())
    .split(MOMENT)
    // biome-ignore lint/suspicious/noArrayIndexKey: the sentence never changes
    .map((text, at) => (MOMENT.test(text) ? <Timestamp key={at} at={Date.parse(text)} date /> : text))

interface Part {
  node: ReactNode
  at: number
}

/** If several ids begin at one place, the longest is meant: an id can contain quotes. */
function parts(sentence: string, things: readonly Thing[]): Part[] {
  const longestFirst = things.filter(({ id }) => id !== '').sort((one, other) => other.id.length - one.id.length)
  const found: Part[] = []
  let from = 0
  for (let at = 0; at < sentence.length; at++) {
    const id = longestFirst.find((thing) => sentence.startsWith(`"${thing.id}"`, at))?.id
    if (id === undefined) continue
    const words = sentence.slice(from, at)
    if (words !== '') found.push({ node: withMoments(words), at: from })
    found.push({ node: <Named id={id} name={nameAfter(words, id, things)} />, at })
    from = at + id.length + 2
    at = from - 1
  }
  return [...found, { node: withMoments(sentence.slice(from)), at: from }]
}

/** Returns the name of the thing that the words before its id announce, such as “on folder ”. */
function nameAfter(words: string, id: string, things: readonly Thing[]): string | undefined {
  const named = things.find((thing) => thing.id === id && words.toLowerCase().endsWith(`${thing.kind} `))
  return named && uniqueName(named, things)
}

/** Returns undefined for a name that another thing of the same kind has too: then only the ids tell them apart. */
function uniqueName({ kind, id, name: given }: Thing, things: readonly Thing[]): string | undefined {
  const name = shownName(given, id)
  const isShared = things.some(
    (other) => other.kind === kind && other.id !== id && shownName(other.name, other.id) === name,
  )
  return isShared || name === id ? undefined : name
}

const Named = ({ id, name }: { id: string; name: string | undefined }) =>
  name === undefined ? (
    <bdi>{`"${id}"`}</bdi>
  ) : (
    <bdi className={classes.name} title={id}>
      {name}
    </bdi>
  )
