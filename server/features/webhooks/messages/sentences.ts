/** Describes an event in a sentence: the sentence or summary of its type in the contract, with names filled in. */
import type { EventMeaning } from '#contract/events/event-meaning.ts'
import { EVENT_TYPES } from '#contract/events/event-types.ts'
import type { FeedEvent } from '#tenancy/events/feed.ts'
import type { Names } from './name-statements.ts'

const MEANINGS: Readonly<Record<string, EventMeaning>> = EVENT_TYPES

const named = (kind: string, name: string | null, id: string | null): string =>
  id === null ? `the ${kind}` : name === null || name === id ? `the ${kind} ${id}` : `the ${kind} ${name} (${id})`

const groupIn = (state: object | null): string | undefined =>
  state !== null && 'groupId' in state ? `user group ${state.groupId}` : undefined

const emailIn = (state: object | null): string | undefined =>
  state !== null && 'email' in state ? String(state.email) : undefined

const roleIn = (state: object | null): string | undefined =>
  state !== null && 'accessRole' in state ? String(state.accessRole) : undefined

export function sentenceOf(event: FeedEvent, names: Names): string {
  const { type, organizationId, resourceKind, resourceId, userId, before, after } = event
  const organization = named('organization', names.organizationName, organizationId)
  const { userName, userEmail } = names
  const words: Record<string, string> = {
    organization,
    resource:
      resourceKind === null || resourceKind === 'organization'
        ? organization
        : named(resourceKind, names.resourceName, resourceId),
    user: userId === null ? (groupIn(after) ?? groupIn(before) ?? 'A user') : (userName ?? userEmail ?? userId),
    email: emailIn(after) ?? emailIn(before) ?? 'A person',
    role: roleIn(after) ?? roleIn(before) ?? 'member',
  }
  const sentence = (MEANINGS[type]?.sentence ?? MEANINGS[type]?.summary ?? `${type}.`).replace(
    /\{(\w+)\}/g,
    (_, word) => words[word] ?? '',
  )
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
