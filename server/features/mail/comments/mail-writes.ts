/**
 * What mails about comments decide and write, for many mails together: a commit takes longer than what it commits
 * (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { listRecipients, type Recipient, type Subject } from '#features/comments/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { Coalescer } from '#platform/queues/coalesce.ts'
import type { Allowed } from './digest.ts'
import { HAND_OVER, type ItemRow } from './digest-statements.ts'

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

/** A mail that says what `allowed` has. */
interface Written extends Question {
  allowed: readonly Allowed[]
}

type HandedOver = 'ok' | 'changed' | 'taken'

interface Write extends Addressed {
  work(session: Session): Promise<void>
}

export const isAllowed = (decided: Decided): decided is Allowed => decided.recipient?.leftOut === null

const isSame = (before: readonly Allowed[], now: readonly Allowed[]): boolean =>
  before.length === now.length &&
  before.every(({ row, recipient }, index) => now[index]?.row === row && now[index].recipient.email === recipient.email)

/** Decides which of the comments of each mail its recipient may get now. */
async function decide(session: Pick<Session, 'runSet'>, questions: readonly Question[]): Promise<Decided[][]> {
  const subjects = questions.flatMap(({ organizationKey, userId, items }) =>
    items.map(({ resourceKey, thread: { annotationId }, commentId }): Subject => {
      return { organizationKey, resourceKey, annotationId, commentId, onlyUserId: userId }
    }),
  )
  const recipients = await listRecipients(session, 'email', subjects)
  let nth = 0
  return questions.map(({ items }) => items.map((row) => ({ row, recipient: recipients[nth++]?.users[0] })))
}

/** Decides again, and marks the mails that still say what their recipients may get. */
async function handOver(session: Session, mails: readonly Written[]): Promise<HandedOver[]> {
  const decided = await decide(session, mails)
  const outcomes: HandedOver[] = []
  for (const [index, { mailId, allowed }] of mails.entries()) {
    if (!isSame(allowed, decided[index]?.filter(isAllowed) ?? [])) outcomes.push('changed')
    else outcomes.push((await session.run(HAND_OVER, [mailId])).length === 0 ? 'taken' : 'ok')
  }
  return outcomes
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
    /** Returns the comments of a mail with the decision about each. */
    decide: together<Question, Decided[]>('comment-mails.decide', (questions) => decide(db, questions), itemsOf),

    /** Decides again, and marks a mail that has not changed as handed over, in one transaction. */
    handOver: together<Written, HandedOver>(
      'comment-mails.hand-over',
      (mails) => db.transaction((session) => handOver(session, mails)),
      itemsOf,
    ),

    /** Runs work of a mail in a transaction, which may have that of others too. */
    write: together<Write, void>('comment-mails.write', (mails) =>
      db.transaction(async (session) => {
        const done: undefined[] = []
        for (const { work } of mails) done.push(void (await work(session)))
        return done
      }),
    ),
  }
}
