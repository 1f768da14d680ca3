/** The sentences of events in the data of an API key, except events about grants and people. */
import { changesInWords, countsInWords, type Values, valueText } from './changes.ts'
import { type Sentence, say, value } from './parts.ts'
import { type Subjects, textOf } from './subjects.ts'

export type SentenceOf = (subjects: Subjects) => Sentence

const CONTENTS = {
  organizations: 'organization',
  folders: 'folder',
  documents: 'document',
  users: 'user',
  userGroups: 'user group',
  permissions: 'grant',
  invitations: 'invitation',
  comments: 'comment',
}

/** `, with 3 folders and 12 grants`, for the records that were deleted with something. */
export function withContents(values: Values): Sentence {
  const counts = countsInWords(values, CONTENTS)
  return counts === undefined ? [] : say`, with ${counts}`
}

const ACCESS_WORDS: Readonly<Record<string, string>> = {
  public: 'public',
  organizationPrivate: 'open to members of the organization',
  restricted: 'restricted',
}

const access = (type: unknown): string => ACCESS_WORDS[String(type)] ?? 'inherited'

/** Says that the name of a thing was given, changed or removed, or which other values of it were changed. */
export function updated(
  kind: string,
  nameField: string,
  subject: Sentence,
  { actor, before, after }: Subjects,
): Sentence {
  const [from, to] = [textOf(before[nameField]), textOf(after[nameField])]
  const others = changesInWords(without(before, nameField), without(after, nameField))
  if (from === to) return say`${actor} changed ${subject}${others && say`: ${others}`}`
  const more = others && say`, and changed ${others}`
  if (from === undefined) return say`${actor} gave the ${kind} the name ${value(to ?? '')}${more}`
  if (to === undefined) return say`${actor} removed the name ${value(from)} of the ${kind}${more}`
  return say`${actor} changed the name of the ${kind} from ${value(from)} to ${value(to)}${more}`
}

const without = (values: Values, field: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== field))

/** `, restricted`, of an access type that something was added with. */
const asAccess = (type: unknown): Sentence => (type === undefined || type === null ? [] : say`, ${access(type)}`)

const accessChanged: SentenceOf = ({ actor, resource, before, after }) =>
  say`${actor} changed the access type of ${resource} from ${value(access(before.accessType))} to ${value(access(after.accessType))}`

const switched =
  (verb: string): SentenceOf =>
  ({ actor, kindAndResource }) =>
    say`${actor} ${verb} ${kindAndResource}`

/** Returns whether the user whom the event is about is the actor. */
const isOwn = ({ actor }: Subjects['event']): boolean => actor.userToken === true && actor.userId === undefined

/** ` by Ada`, of a text whose author the event is about, unless the actor is the author. */
const by = ({ event, user }: Subjects): Sentence => (event.userId === undefined || isOwn(event) ? [] : say` by ${user}`)

export const ORGANIZATION_SENTENCES = {
  'organization.added': ({ actor, kindAndResource, after }) =>
    say`${actor} added ${kindAndResource}${after.disabled === true ? ', disabled' : ''}`,
  'organization.updated': (subjects) => updated('organization', 'organizationName', subjects.kindAndResource, subjects),
  'organization.disabled': switched('disabled'),
  'organization.enabled': switched('enabled'),
  'organization.deleted': ({ actor, kindAndResource, before }) =>
    say`${actor} deleted ${kindAndResource}${withContents(before)}`,
  'folder.added': ({ actor, kindAndResource, folder, after }) =>
    say`${actor} added ${kindAndResource} to ${folder(after.parentFolderId)}${asAccess(after.accessType)}`,
  'folder.updated': (subjects) => updated('folder', 'folderName', subjects.kindAndResource, subjects),
  'folder.moved': ({ actor, kindAndResource, folder, before, after }) =>
    say`${actor} moved ${kindAndResource} from ${folder(before.parentFolderId)} to ${folder(after.parentFolderId)}`,
  'folder.access_changed': accessChanged,
  'folder.deleted': ({ actor, kindAndResource, before }) =>
    say`${actor} deleted ${kindAndResource}${withContents(before)}`,
  'document.added': ({ actor, kindAndResource, folder, after }) =>
    say`${actor} added ${kindAndResource} to ${folder(after.folderId)}${asAccess(after.accessType)}${after.disabled === true ? ', disabled' : ''}`,
  'document.updated': (subjects) => updated('document', 'documentName', subjects.kindAndResource, subjects),
  'document.moved': ({ actor, kindAndResource, folder, before, after }) =>
    say`${actor} moved ${kindAndResource} from ${folder(before.folderId)} to ${folder(after.folderId)}`,
  'document.access_changed': accessChanged,
  'document.disabled': switched('disabled'),
  'document.enabled': switched('enabled'),
  'document.deleted': ({ actor, kindAndResource, before }) =>
    say`${actor} deleted ${kindAndResource}${withContents(before)}`,
  'document.migration.started': ({ actor, kindAndResource, after }) =>
    say`${actor} started to migrate ${kindAndResource} to the id ${value(valueText(after.newDocumentId))}`,
  'document.migration.completed': ({ resource, before, after }) =>
    say`The migration of ${resource} from the id ${value(valueText(before.documentId))} to ${value(valueText(after.documentId))} completed`,
  'thread.added': (subjects) => say`${subjects.actor} added a thread${by(subjects)} to ${subjects.resource}`,
  'thread.updated': ({ actor, resource, after }) =>
    say`${actor} changed a thread on ${resource}${Array.isArray(after.fields) ? say`: ${value(valueText(after.fields))}` : []}`,
  'thread.status_changed': ({ actor, resource, before, after }) =>
    say`${actor} changed the status of a thread on ${resource} from ${value(valueText(before.statusName ?? before.statusId))} to ${value(valueText(after.statusName ?? after.statusId))}`,
  'thread.assigned': ({ actor, resource, after }) =>
    after.assigned === false
      ? say`${actor} removed the assignee of a thread on ${resource}`
      : say`${actor} assigned a thread on ${resource}`,
  'thread.priority_changed': ({ actor, resource, before, after }) =>
    say`${actor} changed the priority of a thread on ${resource} from ${value(valueText(before.priorityName ?? before.priorityId))} to ${value(valueText(after.priorityName ?? after.priorityId))}`,
  'thread.visibility_changed': ({ actor, resource, before, after }) =>
    say`${actor} changed who sees a thread on ${resource} from ${value(valueText(before.visibility))} to ${value(valueText(after.visibility))}`,
  'thread.suggestion_accepted': ({ actor, resource }) =>
    say`${actor} accepted the suggestion of a thread on ${resource}`,
  'thread.suggestion_rejected': ({ actor, resource }) =>
    say`${actor} rejected the suggestion of a thread on ${resource}`,
  'thread.subscribed': ({ actor, event, user, resource }) =>
    isOwn(event)
      ? say`${actor} followed a thread on ${resource}`
      : say`${actor} let ${user} follow a thread on ${resource}`,
  'thread.unsubscribed': ({ actor, event, user, resource }) =>
    say`${actor} muted a thread on ${resource}${isOwn(event) ? [] : say` for ${user}`}`,
  'thread.deleted': ({ actor, resource, before }) =>
    say`${actor} deleted a thread on ${resource}${withContents(before)}`,
  'comment.added': (subjects) => say`${subjects.actor} added a comment${by(subjects)} on ${subjects.resource}`,
  'comment.updated': (subjects) => say`${subjects.actor} changed a comment${by(subjects)} on ${subjects.resource}`,
  'comment.deleted': ({ actor, resource }) => say`${actor} deleted a comment on ${resource}`,
  'document.migration.failed': ({ resource, after }) =>
    say`The migration of ${resource} to the id ${value(valueText(after.newDocumentId))} failed: ${valueText(after.reason).replaceAll('_', ' ')}`,
} satisfies Record<string, SentenceOf>
