/** Reads, changes and deletes the comments of a thread (rules/comments.md#comments). */
import type { CommentResults, deleteComments, getComments, updateComments } from '#contract/comments/comments.ts'
import type { CommentRecord } from '#contract/comments/records.ts'
import { failed } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { requireOpenDocument } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, requireOwnUser, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { requireResource } from '#tenancy/existence.ts'
import { changeOrganizations, lockOrganizations } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import { checkContext, checkSize, Faults } from '../checks.ts'
import type { CommentContent } from '../content.ts'
import { commentRecord, peopleInComments, showingTo } from '../records.ts'
import { timeOf, usersOfComments } from '../threads/new-thread.ts'
import { runTriggers } from '../triggers.ts'
import { commentsOfOthers, requireVisibleThread, SNAPSHOT } from '../users/access.ts'
import { commentChangeOfUser } from '../users/input.ts'
import { wordsOf } from '../words.ts'
import { type ChosenOutcome, type ChosenRow, DELETE_COMMENTS, UPDATE_COMMENTS } from './change-statements.ts'
import { type NamedThread, refusalOf, threadRow } from './named-thread.ts'
import { FIND_THREAD, LIST_COMMENTS } from './statements.ts'

type Chosen = Pick<DataOf<typeof updateComments>, keyof NamedThread | 'commentIds' | 'userIds'>

export function createComments({ db, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)

  function get(caller: AnyCaller, data: DataOf<typeof getComments>): Promise<(CommentRecord | null)[]> {
    if (!isUser(caller)) return read(db, caller, data)
    const readOpen = async (session: Session) => {
      await requireOpenDocument(session, caller, data)
      return withoutAddresses(caller, await read(session, caller, data))
    }
    return db.transaction(readOpen, SNAPSHOT)
  }

  async function read(
    session: Session,
    caller: AnyCaller,
    data: DataOf<typeof getComments>,
  ): Promise<(CommentRecord | null)[]> {
    const { organizationId, documentId, annotationId, commentIds, userIds } = data
    const key = organizationKey(caller, organizationId)
    const resourceKey = await requireResource(session, key, { type: 'document', id: documentId })
    const thread = [key, resourceKey, annotationId]
    if (isUser(caller)) await requireVisibleThread(session, caller, data)
    const [found] = await session.run(FIND_THREAD, thread)
    if (found === undefined) throw refusalOf('thread_does_not_exist')
    const rows = await session.run(LIST_COMMENTS, [...thread, commentIds ?? null, userIds ?? null])
    const people = peopleInComments(rows.map(({ content }) => content))
    const show = await showingTo(session, caller, [{ ...people, organizationKey: key, resourceKey }])
    const records = rows.map((row) => commentRecord(row, show))
    if (commentIds === undefined) return records
    const byId = new Map(records.map((record) => [record.commentId, record]))
    return [...new Set(commentIds)].map((id) => byId.get(id) ?? null)
  }

  /** Runs a change of the chosen comments of a thread under the lock of its organization; with a user token, of the user's own. */
  function change<Row extends ChosenRow, Outcome extends ChosenOutcome>(
    caller: AnyCaller,
    data: Chosen,
    { message, statement, rowOf }: ChangeOfComments<Row, Outcome>,
    andThen: (session: Session, outcome: Outcome | undefined) => Promise<void> = async () => {},
  ): Promise<CommentResults> {
    if (isUser(caller)) for (const userId of data.userIds ?? []) requireOwnUser(caller, userId)
    const row = threadRow(caller, data)
    return changeOrganizations(db, caller, [row.organizationKey], async (session) => {
      const [locked = row] = await lockOrganizations(session, [row])
      await requireSignedIn(session, caller)
      const others = isUser(caller) ? await commentsOfOthers(session, caller, data) : new Set<number>()
      const byUserId = isUser(caller) ? caller.userId : null
      const chosen = isUser(caller) ? { ...data, userIds: [caller.userId] } : data
      const [outcome] = await session.runSet(statement, [rowOf({ ...locked, ...chosenOf(chosen), byUserId })])
      await andThen(session, outcome)
      return resultsOf(outcome, { asked: data.commentIds, others, message })
    })
  }

  async function update(caller: AnyCaller, data: DataOf<typeof updateComments>): Promise<CommentResults> {
    const faults = new Faults()
    const updated = isUser(caller) ? commentChangeOfUser(caller, data.updatedData, faults) : data.updatedData
    const { createdAt, lastUpdated, context, ...own } = updated
    const changes = { ...own, ...(context && { context: checkContext(context, 'updatedData.context', words, faults) }) }
    checkSize(changes, 'updatedData', faults)
    faults.refuse()
    const nobody = { userId: '' }
    const users = usersOfComments([{ from: nobody, ...changes } as CommentContent]).filter(
      ({ userId }) => userId !== '',
    )
    const { triggerNotification = false } = data
    const rowOf = (chosen: ChosenRow) => ({
      ...chosen,
      changes: JSON.stringify(changes),
      createdAt: timeOf(createdAt),
      lastUpdated: timeOf(lastUpdated),
      users: JSON.stringify(users),
      // Webhooks report whatever users do, but not everybody's inbox has the correction of every word.
      notify: data.triggerNotification ?? isUser(caller),
      tell: triggerNotification,
      bytesMax: LIMITS.threadBytesMax,
    })
    const message = 'Comment updated successfully.'
    return change(caller, data, { message, rowOf, statement: UPDATE_COMMENTS }, async (session, outcome) => {
      const changed = triggerNotification ? (outcome?.changedIds ?? []) : []
      await runTriggers(
        session,
        changed.map((commentId) => ({ ...threadRow(caller, data), commentId, act: 'updated', notify: true })),
      )
    })
  }

  return {
    get,
    update,
    delete: (caller: AnyCaller, data: DataOf<typeof deleteComments>): Promise<CommentResults> =>
      change(caller, data, {
        message: 'Comment deleted successfully.',
        rowOf: (chosen) => chosen,
        statement: DELETE_COMMENTS,
      }),
  }
}

/** A statement that changes the chosen comments of a thread, and the row that it takes for them. */
interface ChangeOfComments<Row, Outcome> {
  message: string
  statement: SetStatement<Row, Outcome>
  rowOf: (chosen: ChosenRow) => Row
}

const chosenOf = ({ commentIds, userIds }: { commentIds?: number[]; userIds?: string[] }) => ({
  commentIds: commentIds === undefined ? null : JSON.stringify(commentIds),
  userIds: userIds === undefined ? null : JSON.stringify(userIds),
})

function resultsOf(
  outcome: ChosenOutcome | undefined,
  {
    asked = [],
    others,
    message,
  }: { asked: readonly number[] | undefined; others: ReadonlySet<number>; message: string },
): CommentResults {
  if (outcome === undefined) return {}
  if (outcome.outcome !== 'ok') throw refusalOf(outcome.outcome, outcome.migratedTo)
  const changed = new Set(outcome.ids)
  const all = [...new Set([...asked, ...outcome.ids])]
  return Object.fromEntries(
    all.map((id) => [
      String(id),
      changed.has(id)
        ? { success: true, id, message }
        : { ...(others.has(id) ? OF_ANOTHER : failed('', 'not-found', 'There is no such comment.')), id },
    ]),
  )
}

const OF_ANOTHER = failed('', 'permission-denied', 'The comment is of another user.')
