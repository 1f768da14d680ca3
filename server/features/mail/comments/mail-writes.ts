/**
 * Makes the decisions and writes of mails about comments for many mails together, because a commit takes longer than
 * the writes (rules/comments.md#mails-about-comments, ADR 0056).
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
import type { Db, Session } from '#platform/db/db.ts'
import { Coalescer } from '#platform/queues/coalesce.ts'
import { FINISH_MAILS } from '../statements.ts'
import { type Allowed, CHANGED } from './digest.ts'
import {
  type ClaimOnMail,
  GET_COMMENTS,
  HAND_OVER,
  ITEMS_MAX,
  type ItemRow,
  LIST_TAKEN,
  type NamedComment,
  TAKE_ITEMS,
} from './digest-statements.ts'
import { FINISH_ALL_ITEMS, FINISH_ITEMS, type MailResultRow } from './result-statements.ts'
import { shownAsStored } from './shown.ts'

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

interface Question extends Addressed {
  items: readonly ItemRow[]
}

/** A mail that says what `allowed` has, and the claim and the settings under which it was written. */
interface Written extends Question {
  claims: number
  allowed: readonly Allowed[]
  show: Show
  settingsHash: string
}

/** The comments of a mail, the decision about each, and how people are shown. */
export interface Opened {
  decided: readonly Decided[]
  show: Show
}

type HandedOver = 'ok' | 'changed' | 'taken'

/** A mail that was sent, and the results of its comments. */
interface Finished extends Addressed {
  results: readonly MailResultRow[]
}

export const isAllowed = (decided: Decided): decided is Allowed => decided.recipient?.leftOut === null

/** What a mail says of a recipient. */
const saidOf = ({ reason, name, email, timezone }: Recipient): string => JSON.stringify([reason, name, email, timezone])

const isSame = (before: readonly Allowed[], now: readonly Allowed[]): boolean =>
  before.length === now.length &&
  before.every(({ row, recipient }, index) => {
    const other = now[index]
    return other?.row === row && saidOf(other.recipient) === saidOf(recipient)
  })

/** Decides which of the comments of each mail its recipient may get now. */
async function decide(session: Pick<Session, 'runSet'>, questions: readonly Question[]): Promise<Decided[][]> {
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

const nameOf = ({ resourceKey, annotationId, commentId }: Omit<NamedComment, 'organizationKey'>): string =>
  `${resourceKey} ${annotationId} ${commentId}`

/** Takes the comments of mails, and reads each comment once, for any number of its mails. */
async function take(session: Session, mails: readonly Addressed[]): Promise<Question[]> {
  await session.runSet(TAKE_ITEMS, mails)
  const taken = await session.runSet(LIST_TAKEN, mails)
  const named = [...new Map(taken.map((item) => [nameOf(item), item])).values()]
  const rows = named.length === 0 ? [] : await session.runSet(GET_COMMENTS, named)
  const byName = new Map(rows.map((row) => [nameOf({ ...row, annotationId: row.thread.annotationId }), row]))
  const ofMail = Map.groupBy(taken, ({ mailId }) => mailId)
  return mails.map((mail) => ({
    ...mail,
    items: (ofMail.get(mail.mailId) ?? []).flatMap(({ actionType, changedAt, ...item }) => {
      const row = byName.get(nameOf(item))
      return row === undefined ? [] : [{ ...row, actionType, changedAt }]
    }),
  }))
}

/** Returns how people are shown in each mail: with their profiles if its recipient may know them. */
async function showsOf(session: Session, questions: readonly Question[]): Promise<Show[]> {
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

/** Takes the comments of mails, and decides which of them their recipients may get now. */
async function open(session: Session, mails: readonly Addressed[]): Promise<Opened[]> {
  const questions = await take(session, mails)
  const decided = await decide(session, questions)
  const shows = await showsOf(session, questions)
  return questions.map((_, index) => ({
    decided: decided[index] ?? [],
    show: shows[index] ?? ((contact) => contact),
  }))
}

/** Decides again, and marks the mails that still say what their recipients may get, as it is stored now. */
async function handOver(session: Session, mails: readonly Written[]): Promise<HandedOver[]> {
  const decided = await decide(session, mails)
  const asStored = await shownAsStored(session, mails, await showsOf(session, mails))
  const unchanged = mails.filter(
    (mail, index) => isSame(mail.allowed, decided[index]?.filter(isAllowed) ?? []) && asStored.has(mail),
  )
  const marked = unchanged.length === 0 ? [] : await session.runSet(HAND_OVER, unchanged)
  const claimOf = ({ mailId, claims }: ClaimOnMail) => `${mailId} ${claims}`
  const [same, unsent] = [new Set(unchanged), new Set(marked.map(claimOf))]
  // A process that was slow may work on one mail twice: only one of them sends it.
  return mails.map((mail) => (!same.has(mail) ? 'changed' : unsent.delete(claimOf(mail)) ? 'ok' : 'taken'))
}

export function createMailWrites(db: Db) {
  const together = <Request extends Addressed, Result>(
    name: string,
    execute: (mails: Request[]) => Promise<Result[]>,
    rows: (mail: Request) => number = () => 1,
  ) => {
    // A repeat after a lost connection is the business of whoever takes the mail up again.
    const options = { name, rows, lane: (_: Request, tenant: string) => tenant, idempotent: false, execute }
    const coalescer = new Coalescer<Request, Result>(options)
    return (mail: Request) => coalescer.run(mail, mail.apiKeyId)
  }
  const itemsOf = ({ items }: Question) => items.length

  return {
    /** Takes the comments of a mail, and returns them with the decision about each. */
    open: together<Addressed, Opened>('comment-mails.open', (mails) =>
      db.transaction((session) => open(session, mails)),
    ),

    /** Decides again, and marks a mail that has not changed as handed over, in one transaction. */
    handOver: together<Written, HandedOver>(
      'comment-mails.hand-over',
      (mails) => db.transaction((session) => handOver(session, mails)),
      itemsOf,
    ),

    /** Records that mails were sent, and the results of their comments. */
    finish: together<Finished, void>(
      'comment-mails.finish',
      (mails) =>
        db.transaction(async (session) => {
          await session.runSet(FINISH_MAILS, mails)
          const results = mails.flatMap((mail) => mail.results)
          if (results.length > 0) await session.runSet(FINISH_ITEMS, results)
          for (const { mailId, organizationKey, userId, results } of mails)
            if (results.length >= ITEMS_MAX)
              await session.run(FINISH_ALL_ITEMS, [mailId, organizationKey, userId, 'too_many'])
          return mails.map(() => undefined)
        }),
      ({ results }) => results.length,
    ),
  }
}
