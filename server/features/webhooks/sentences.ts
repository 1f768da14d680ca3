/** Each type of event in a sentence, for people: that of the contract, or one with names. */
import { EVENT_TYPES, type EventMeaning } from '#contract/events.ts'
import type { FeedEvent } from '#tenancy/events/feed.ts'
import type { Names } from './names.ts'

const MEANINGS: Readonly<Record<string, EventMeaning>> = EVENT_TYPES

/** `{…}` stands for what the event is about, by its name where it has one. */
const SENTENCES: Readonly<Record<string, string>> = {
  'organization.added': '{organization} was added.',
  'organization.updated': '{organization} was changed.',
  'organization.deleted': '{organization} was deleted.',
  'organization.disabled': '{organization} was disabled.',
  'organization.enabled': '{organization} was enabled.',
  'folder.added': '{resource} was added to {organization}.',
  'folder.updated': '{resource} of {organization} was changed.',
  'folder.moved': '{resource} of {organization} was moved.',
  'folder.access_changed': 'The access type of {resource} of {organization} was changed.',
  'folder.deleted': '{resource} of {organization} was deleted.',
  'document.added': '{resource} was added to {organization}.',
  'document.updated': '{resource} of {organization} was changed.',
  'document.moved': '{resource} of {organization} was moved.',
  'document.access_changed': 'The access type of {resource} of {organization} was changed.',
  'document.disabled': '{resource} of {organization} was disabled.',
  'document.enabled': '{resource} of {organization} was enabled.',
  'document.deleted': '{resource} of {organization} was deleted.',
  'document.migration.started': 'The migration of {resource} of {organization} has started.',
  'document.migration.completed': 'The migration of {resource} of {organization} has completed.',
  'document.migration.failed': 'The migration of {resource} of {organization} has failed.',
  'user.added': '{user} was added.',
  'user.updated': '{user} was changed.',
  'user.removed': '{user} was removed.',
  'user_group.added': 'A user group was added to {organization}.',
  'user_group.updated': 'A user group of {organization} was changed.',
  'user_group.emptied': 'All users were taken out of a user group of {organization}.',
  'user_group.deleted': 'A user group of {organization} was deleted.',
  'user_group.user_added': '{user} was added to a user group of {organization}.',
  'user_group.user_removed': '{user} was taken out of a user group of {organization}.',
  'permission.added': '{user} was made {role} of {resource}.',
  'permission.removed': '{user} has lost the role of {role} of {resource}.',
  'permission.expired': 'The role of {user}, {role} of {resource}, has expired.',
  'permission.expiring': 'The role of {user}, {role} of {resource}, is about to expire.',
  'user_token.generated': '{user} was given a user token.',
  'user_token.revoked': 'The user tokens of {user} were revoked.',
}

const named = (kind: string, name: string | null, id: string | null): string =>
  id === null ? `the ${kind}` : name === null || name === id ? `the ${kind} ${id}` : `the ${kind} ${name} (${id})`

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
    user: userId === null ? 'A user' : (userName ?? userEmail ?? userId),
    role: roleIn(after) ?? roleIn(before) ?? 'member',
  }
  const sentence = (SENTENCES[type] ?? MEANINGS[type]?.says ?? `${type}.`).replace(
    /\{(\w+)\}/g,
    (_, word) => words[word] ?? '',
  )
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
