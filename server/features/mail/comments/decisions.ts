/**
 * The decision about the recipient of each comment of a mail: when the mail is written, and again when all of it is
 * ready (rules/comments.md#mails-about-comments, ADR 0056). It is made for many mails together.
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import {
  knownPeople,
  listRecipients,
  peopleInComments,
  type Recipient,
  type Show,
  type Subject,
  showing,
} from '#features/comments/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { type Allowed, CHANGED } from './digest.ts'
import type { ItemRow } from './digest-statements.ts'
import { shownAsStored } from './unchanged.ts'

/** A mail and its recipient. */
export interface Addressed {
  mailId: string
  apiKeyId: ApiKeyId
  organizationKey: OrganizationKey
  userId: string
}

/** A comment that was read for a mail, and the decision about its recipient. */
export interface Decided {
  row: ItemRow
  recipient: Recipient | undefined
}

export interface Question extends Addressed {
  items: readonly ItemRow[]
}

/** A mail that says what `allowed` has, and the claim and the settings under which it was written. */
export interface Written extends Question {
  claims: number
  allowed: readonly Allowed[]
  show: Show
  settingsHash: string
  /** The address to which the mail is sent. */
  address: string
}

export const isAllowed = (decided: Decided): decided is Allowed => decided.recipient?.leftOut === null

/** The facts about a recipient on which a mail depends. */
const saidOf = ({ reason, isMember, name, email, timezone }: Recipient): string =>
  JSON.stringify([reason, isMember, name, email, timezone])

const isSame = (before: readonly Allowed[], now: readonly Allowed[]): boolean =>
  before.length === now.length &&
  before.every(({ row, recipient }, index) => {
    const other = now[index]
    return other?.row === row && saidOf(other.recipient) === saidOf(recipient)
  })

/** Decides which of the comments of each mail its recipient may get now. */
export async function decide(session: Pick<Session, 'runSet'>, questions: readonly Question[]): Promise<Decided[][]> {
  const subjects = questions.flatMap(({ organizationKey, userId, items }) =>
    items.map(({ resourceKey, thread: { annotationId }, commentId, actionType, changedAt }): Subject => {
      const change = { isChange: actionType === CHANGED, changedAt }
      return { organizationKey, resourceKey, annotationId, commentId, ...change, onlyUserId: userId }
    }),
  )
  const recipients = await listRecipients(session, 'email', subjects)
  let nth = 0
  return questions.map(({ items }) => items.map((row) => ({ row, recipient: recipients[nth++]?.users[0] })))
}

/** Returns how people are shown in each mail: with their profiles if its recipient may know them. */
export async function showsOf(session: Session, questions: readonly Question[]): Promise<Show[]> {
  const readers = questions.map(({ organizationKey, userId, items }) => ({
    readerId: userId,
    people: items.map(({ resourceKey, comments }) => ({ ...peopleInComments(comments), organizationKey, resourceKey })),
  }))
  const known = await knownPeople(session, readers)
  const shows = new Map<string, Show>()
  for (const [apiKeyId, ofOne] of Map.groupBy(questions.keys(), (index) => questions[index]?.apiKeyId as ApiKeyId))
    shows.set(
      apiKeyId,
      await showing(session, { apiKeyId }, new Set(ofOne.flatMap((index) => [...(known[index] ?? [])]))),
    )
  return questions.map(({ apiKeyId }, index) => (contact) => {
    const isKnown = known[index]?.has(contact.userId)
    return (isKnown && shows.get(apiKeyId)?.(contact)) || contact
  })
}

/** Returns the mails that still say what their recipients may get now, as it is stored now. The decision comes last. */
export async function stillRight(session: Session, mails: readonly Written[]): Promise<Set<Written>> {
  const asStored = await shownAsStored(session, mails, await showsOf(session, mails))
  const decided = await decide(session, mails)
  return new Set(
    mails.filter((mail, index) => asStored.has(mail) && isSame(mail.allowed, decided[index]?.filter(isAllowed) ?? [])),
  )
}
