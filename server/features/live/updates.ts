/** Finds the streams to which a change of a thread is sent. */
import type { ThreadChangeRow } from './statements.ts'
import type { LiveStream } from './stream.ts'

/** A change, and a stream whose page shows its document. */
export interface Update {
  stream: LiveStream
  change: ThreadChangeRow
}

/** Returns the changes that the pages of streams show. */
export function updatesFor(to: readonly LiveStream[], changes: readonly ThreadChangeRow[]): Update[] {
  if (changes.length === 0) return []
  const placeOf = (organizationId: string, documentId: string) => JSON.stringify([organizationId, documentId])
  const shown = new Map<string, LiveStream[]>()
  for (const stream of to)
    for (const documentId of stream.documents.keys()) {
      const place = placeOf(stream.request.organizationId, documentId)
      const there = shown.get(place)
      if (there === undefined) shown.set(place, [stream])
      else there.push(stream)
    }
  return changes.flatMap((change) =>
    (shown.get(placeOf(change.organizationId, change.documentId)) ?? []).map((stream) => ({ stream, change })),
  )
}

/** Names a thread of an organization. */
export const threadName = (documentId: string, annotationId: string): string => `${documentId}\0${annotationId}`

/** Cuts a list in parts that one statement takes. */
export function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size)
}
