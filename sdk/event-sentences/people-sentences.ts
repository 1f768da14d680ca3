/** The sentences of events about people: users, user groups, invitations, grants and user tokens. */
import { countsInWords, valueText } from './changes.ts'
import { type SentenceOf, updated, withContents } from './organization-sentences.ts'
import { type NamedPart, type Sentence, say, value } from './parts.ts'
import { type Subjects, textOf } from './subjects.ts'

/** The role of a grant, at least “access” for a grant whose role the event does not have. */
const role = (given: unknown) => value(textOf(given) ?? 'access')

const asRole = (given: unknown): Sentence => (textOf(given) === undefined ? [] : say` as ${role(given)}`)

/** A time of a grant, which is in seconds; undefined for a grant that does not expire. */
const endOf = (given: unknown, { time }: Subjects, hasTime?: boolean): string | undefined =>
  typeof given === 'number' ? time(given * 1_000, hasTime) : undefined

const until = (given: unknown, subjects: Subjects): Sentence => {
  const end = endOf(given, subjects)
  return end === undefined ? [] : say`, until ${value(end)}`
}

/** “Ada Byron’s”; of a name or an id. */
const of = (holder: Sentence): Sentence => say`${holder}’s`

function granted(subjects: Subjects): Sentence {
  const { actor, holder, resource, before, after, event } = subjects
  const given = say`${actor} gave ${holder} ${role(after.accessRole)} on ${resource}${until(after.expiresAt, subjects)}`
  if (event.before === undefined) return given
  if (before.accessRole !== after.accessRole)
    return say`${actor} changed ${of(holder)} role on ${resource} from ${role(before.accessRole)} to ${role(after.accessRole)}${until(after.expiresAt, subjects)}`
  const [from, to] = [endOf(before.expiresAt, subjects), endOf(after.expiresAt, subjects)]
  const subject = say`${of(holder)} ${role(after.accessRole)} role on ${resource}`
  if (to === undefined)
    return say`${actor} made ${subject} permanent, which was to end on ${value(from ?? 'another day')}`
  if (from === undefined) return say`${actor} limited ${subject} until ${value(to)}`
  const verb = Number(before.expiresAt) < Number(after.expiresAt) ? 'extended' : 'shortened'
  const exactly = (given: unknown) => value(endOf(given, subjects, from === to || undefined) ?? '')
  return say`${actor} ${verb} ${subject} from ${exactly(before.expiresAt)} to ${exactly(after.expiresAt)}`
}

/** The invited person, of whom only the address is known. */
const invited = ({ text }: Subjects): NamedPart | string => {
  const email = text('email')
  return email === undefined ? 'a person' : { kind: 'user', text: email }
}

const removedUser: SentenceOf = ({ actor, user, organization, event, before, after }) => {
  const place = event.organizationId === undefined ? [] : say` from ${organization}`
  if (after.jobId !== undefined) return say`${actor} erased ${user}${place}${withContents(before)}`
  return say`${actor} removed ${user}${place}${withContents(before)}`
}

const groupIn = ({ group, organization }: Subjects): Sentence => say`the user group ${group} of ${organization}`

export const PEOPLE_SENTENCES = {
  'user.added': ({ actor, user }) => say`${actor} added the profile of ${user}`,
  'user.updated': (subjects) => updated('user', 'name', say`the profile of ${subjects.user}`, subjects),
  'user.removed': removedUser,
  'user.disabled': ({ actor, user }) => say`${actor} disabled ${user}`,
  'user.enabled': ({ actor, user }) => say`${actor} enabled ${user}`,
  'user_group.added': (subjects) => say`${subjects.actor} added ${groupIn(subjects)}`,
  'user_group.updated': (subjects) => updated('user group', 'groupName', groupIn(subjects), subjects),
  'user_group.deleted': (subjects) =>
    say`${subjects.actor} deleted ${groupIn(subjects)}${withContents(subjects.before)}`,
  'user_group.user_added': (subjects) => say`${subjects.actor} added ${subjects.user} to ${groupIn(subjects)}`,
  'user_group.user_removed': (subjects) => say`${subjects.actor} removed ${subjects.user} from ${groupIn(subjects)}`,
  'user_group.emptied': (subjects) => {
    const users = countsInWords(subjects.before, { users: 'user' }) ?? 'everybody'
    return say`${subjects.actor} removed ${users} from ${groupIn(subjects)}`
  },
  'invitation.added': (subjects) =>
    say`${subjects.actor} invited ${invited(subjects)} to ${subjects.resource}${asRole(subjects.after.accessRole)}`,
  'invitation.renewed': (subjects) => {
    const { actor, resource, before, after } = subjects
    const roles =
      before.accessRole === after.accessRole
        ? asRole(after.accessRole)
        : say`, now as ${value(valueText(after.accessRole))} and before as ${value(valueText(before.accessRole))}`
    return say`${actor} invited ${invited(subjects)} to ${resource} again${roles}`
  },
  'invitation.accepted': ({ user, resource, text }) =>
    say`${user} accepted the invitation to ${resource}${asRole(text('accessRole'))}`,
  'invitation.rejected': (subjects) => say`${invited(subjects)} rejected the invitation to ${subjects.resource}`,
  'invitation.withdrawn': (subjects) =>
    say`${subjects.actor} withdrew the invitation of ${invited(subjects)} to ${subjects.resource}`,
  'permission.added': granted,
  'permission.removed': ({ actor, holder, resource, before }) =>
    say`${actor} removed ${role(before.accessRole)} of ${holder} on ${resource}`,
  'permission.expiring': (subjects) => {
    const { holder, resource, after } = subjects
    const end = endOf(after.expiresAt, subjects)
    return say`${of(holder)} ${role(after.accessRole)} role on ${resource} expires soon${end === undefined ? [] : say`, on ${value(end)}`}`
  },
  'permission.expired': ({ holder, resource, before }) =>
    say`${of(holder)} ${role(before.accessRole)} role on ${resource} expired`,
  'user_token.generated': ({ user }) => say`${user} signed in`,
  'user_token.revoked': ({ actor, user }) => say`${actor} revoked the user tokens of ${user}`,
} satisfies Record<string, SentenceOf>
