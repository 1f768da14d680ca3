/** Reads the content of webhooks about acts on threads and comments when they are sent (rules/comments.md#webhooks). */
import { commentActOf } from '#contract/comments/acts.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import type { Kernel } from '#kernel'
import { listRecipients, type Recipient, type Subject } from '../recipients/recipients.ts'
import { type Show, showing, shownInThread, threadRecord } from '../records.ts'
import { wordsOf } from '../words.ts'
import {
  type ActEvent,
  type ActFacts,
  changesOf,
  idsOf,
  metadataOf,
  preferencesOf,
  targetOf,
  visibilityOf,
} from './parts.ts'
import { type ActedThread, READ_ACTED_THREADS } from './statements.ts'

const CHANNEL = 'webhook'

/** Reasons for which a user may not even know of the thread. */
const DENIED = new Set<Recipient['leftOut']>(['no_access', 'disabled', 'not_visible'])

/** Returns who acted. The user of a deletion is the author of the deleted comment, unless a user deleted it with a user token. */
const actingUser = ({ type, userId, actor }: ActEvent): string | null =>
  type.endsWith('.deleted') && !('userToken' in actor) ? null : userId

export function createReadActs({ db, config }: Pick<Kernel, 'db' | 'config'>) {
  const words = wordsOf(config.HEADER_PREFIX)

  /** Reads the thread of each event once, even if there are several events about it. */
  async function threadsOf(events: readonly ActEvent[]): Promise<(ActedThread | undefined)[]> {
    const rows = events.map((event) => ({
      organizationKey: event.stream as OrganizationKey,
      documentId: event.resourceId ?? '',
      annotationId: idsOf(event).annotationId,
      commentId: idsOf(event).commentId ?? null,
    }))
    const keys = rows.map((row) => JSON.stringify(row))
    const distinct = [...new Map(rows.map((row, index) => [keys[index], row])).entries()]
    const found = await db.runSet(
      READ_ACTED_THREADS,
      distinct.map(([, row]) => row),
    )
    const byKey = new Map(found.map((thread) => [distinct[thread.ord - 1]?.[0], thread]))
    return events.map(({ changedAt }, index) => {
      const thread = byKey.get(keys[index])
      return thread !== undefined && thread.existsSince <= changedAt ? thread : undefined
    })
  }

  /** Returns the people of each API key as they are shown now. */
  async function showsOf(
    events: readonly ActEvent[],
    threads: readonly (ActedThread | undefined)[],
  ): Promise<Map<string, Show>> {
    const users = new Map<string, Set<string>>()
    for (const [index, { apiKeyId, userId }] of events.entries()) {
      const ofKey = users.get(apiKeyId) ?? new Set()
      users.set(apiKeyId, ofKey)
      const thread = threads[index]
      for (const id of [...(thread ? shownInThread(thread) : []), ...(userId === null ? [] : [userId])]) ofKey.add(id)
    }
    const shows = new Map<string, Show>()
    for (const [apiKeyId, ofKey] of users)
      shows.set(apiKeyId, await showing(db, { apiKeyId: apiKeyId as ApiKeyId }, ofKey))
    return shows
  }

  /** Returns everybody whom each act involves, without who acted. The messages of one act to several endpoints ask once. */
  async function involvedIn(
    events: readonly ActEvent[],
    threads: readonly (ActedThread | undefined)[],
  ): Promise<Recipient[][]> {
    const subjects = events.map((event, index) => {
      const thread = threads[index]
      if (thread === undefined) return undefined
      const { resourceKey, annotationId } = thread
      const actorId = actingUser(event) ?? undefined
      return { organizationKey: event.stream as OrganizationKey, resourceKey, annotationId, actorId }
    })
    const keys = subjects.map((subject) => JSON.stringify(subject))
    const found = new Map<string | undefined, Recipient[]>()
    let open = new Map(
      subjects.flatMap((subject, index): [string, Subject][] => (subject ? [[keys[index] ?? '', subject]] : [])),
    )
    while (open.size > 0) {
      const pages = await listRecipients(db, CHANNEL, [...open.values()])
      const next: [string, Subject][] = []
      for (const [nth, [key, subject]] of [...open].entries()) {
        const { users = [], hasMore = false } = pages[nth] ?? {}
        found.set(key, [...(found.get(key) ?? []), ...users])
        if (hasMore) next.push([key, { ...subject, afterUserId: users.at(-1)?.userId }])
      }
      open = new Map(next)
    }
    return keys.map((key) => found.get(key) ?? [])
  }

  function factsOf(
    event: ActEvent,
    stored: ActedThread | undefined,
    show: Show,
    involved: readonly Recipient[],
  ): ActFacts {
    const act = commentActOf(event.type)
    if (act === undefined) throw new Error(`${event.type} records no act`)
    const organizationId = event.organizationId ?? ''
    const caller = { apiKeyId: event.apiKeyId as ApiKeyId }
    const thread = stored && threadRecord(stored, { caller, organizationId, words, show })
    const user = event.userId === null ? undefined : show({ userId: event.userId })
    const target = targetOf(event, thread, user)
    const acting = target !== undefined && 'type' in target && target.from.userId === event.userId ? target.from : user
    return {
      act,
      commentAnnotation: thread ?? { annotationId: idsOf(event).annotationId },
      ...(target && { targetComment: target }),
      ...(acting !== undefined && actingUser(event) !== null && { actionUser: acting }),
      metadata: metadataOf(event, stored),
      ...changesOf(event, thread),
      ...visibilityOf(event, thread),
      ...(thread && { accessDeniedUsers: involved.flatMap((one) => (DENIED.has(one.leftOut) ? [one.userId] : [])) }),
      preferences: preferencesOf(involved),
    }
  }

  return async (events: readonly ActEvent[]): Promise<ActFacts[]> => {
    if (events.length === 0) return []
    const threads = await threadsOf(events)
    const shows = await showsOf(events, threads)
    const involved = await involvedIn(events, threads)
    return events.map((event, index) =>
      factsOf(event, threads[index], shows.get(event.apiKeyId) ?? ((user) => user), involved[index] ?? []),
    )
  }
}
