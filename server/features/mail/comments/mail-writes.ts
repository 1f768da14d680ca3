/**
 * Makes the decisions and writes of mails about comments for many mails together, because a commit takes longer than
 * the writes (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { Show } from '#features/comments/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { Coalescer } from '#platform/queues/coalesce.ts'
import { FINISH_MAILS } from '../statements.ts'
import { type Addressed, type Decided, decide, type Question, showsOf, stillRight, type Written } from './decisions.ts'
import {
  type ClaimOnMail,
  GET_COMMENTS,
  HAND_OVER,
  ITEMS_MAX,
  LIST_TAKEN,
  type NamedComment,
  TAKE_BACK,
  TAKE_ITEMS,
} from './digest-statements.ts'
import { FINISH_ALL_ITEMS, FINISH_ITEMS, type MailResultRow } from './result-statements.ts'

/**
 * A mail whose mark took longer than this to be stored, in milliseconds, is decided again. Usually the mark takes a few
 * milliseconds. A synchronous standby that does not respond holds it for any time, and access may end meanwhile.
 */
export const DECISION_MS_MAX = 200

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

const claimOf = ({ mailId, claims }: ClaimOnMail) => `${mailId} ${claims}`

/** Decides again, and marks the mails that are still right. */
async function handOver(session: Session, mails: readonly Written[]): Promise<HandedOver[]> {
  const right = await stillRight(session, mails)
  const marked = right.size === 0 ? [] : await session.runSet(HAND_OVER, [...right])
  const unsent = new Set(marked.map(claimOf))
  // A process that was slow may work on one mail twice: only one of them sends it.
  return mails.map((mail) => (!right.has(mail) ? 'changed' : unsent.delete(claimOf(mail)) ? 'ok' : 'taken'))
}

/** Decides once more about mails that are marked, and takes the mark from those that are not right any more. */
async function confirm(session: Session, mails: readonly Written[]): Promise<HandedOver[]> {
  const right = await stillRight(session, mails)
  const wrong = mails.filter((mail) => !right.has(mail))
  if (wrong.length > 0) await session.runSet(TAKE_BACK, wrong)
  return mails.map((mail) => (right.has(mail) ? 'ok' : 'changed'))
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
  const mark = together<Written, { outcome: HandedOver; ms: number }>(
    'comment-mails.hand-over',
    async (mails) => {
      const startedAt = performance.now()
      const outcomes = await db.transaction((session) => handOver(session, mails))
      const ms = performance.now() - startedAt
      return outcomes.map((outcome) => ({ outcome, ms }))
    },
    itemsOf,
  )
  const confirmed = together<Written, HandedOver>(
    'comment-mails.confirm',
    (mails) => db.transaction((session) => confirm(session, mails)),
    itemsOf,
  )

  return {
    /** Takes the comments of a mail, and returns them with the decision about each. */
    open: together<Addressed, Opened>('comment-mails.open', (mails) =>
      db.transaction((session) => open(session, mails)),
    ),

    /**
     * Decides again, and marks a mail that has not changed as handed over, in one transaction. If that took long, it is
     * decided once more, and this decision is followed by no write that could wait.
     */
    async handOver(mail: Written): Promise<HandedOver> {
      const { outcome, ms } = await mark(mail)
      return outcome === 'ok' && ms > DECISION_MS_MAX ? confirmed(mail) : outcome
    },

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
