/** Writes threads, notifications and activities as they were stored (rules/comments.md#moving). */
import { LISTS_IN_ORDER, type StoredList, type setCommentData } from '#contract/comments/comment-data.ts'
import type { ItemResult } from '#contract/core/envelope.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { changeOrganization } from '#tenancy/writes/organization.ts'
import { FIND_DOCUMENTS_OF_DATA } from './list-statements.ts'
import { setActivities, setNotifications, setPreferences, setRecipients } from './set-records.ts'
import { setComments, setThreads, setThreadUsers } from './set-threads.ts'
import type { SetOutcome } from './thread-statements.ts'
import type { Outcomes, Placed, Records, Writing } from './writing.ts'

type Data = DataOf<typeof setCommentData>
type NotWritten = ResultOf<typeof setCommentData>

type Write<List extends StoredList> = (writing: Writing, records: Placed<Records<List>[number]>[]) => Promise<Outcomes>

const WRITES: { [List in StoredList]: Write<List> } = {
  threads: setThreads,
  comments: setComments,
  threadUsers: setThreadUsers,
  notifications: setNotifications,
  notificationRecipients: setRecipients,
  notificationPreferences: setPreferences,
  activities: setActivities,
}

/** The lists whose documents must have been added; the others may be about declared ones. */
const OF_ADDED: readonly StoredList[] = ['threads', 'comments', 'threadUsers']

export function createSetCommentData({ db, config }: Kernel) {
  return async (caller: Caller, data: Data): Promise<NotWritten> => {
    const given = LISTS_IN_ORDER.filter((list) => data[list] !== undefined)
    if (given.length === 0)
      throw invalidArgument([{ field: 'threads', message: 'threads is required, or another list' }])
    const { organizationId } = data
    const key = organizationKey(caller, organizationId)
    return changeOrganization(db, caller, key, async (session) => {
      const writing = { session, caller, organizationId, prefix: config.HEADER_PREFIX }
      const ids = given.flatMap((list) => (data[list] ?? []).flatMap(documentsOf))
      const documents = new Map(
        (await session.run(FIND_DOCUMENTS_OF_DATA, [key, [...new Set(ids)]])).map((found) => [found.documentId, found]),
      )
      const notWritten: NotWritten = []
      for (const list of given) {
        const placed = (data[list] ?? []).flatMap((record, index) => {
          const [documentId] = documentsOf(record)
          const found = documentId === undefined ? undefined : documents.get(documentId)
          const isThere = documentId === undefined || (found && (found.isAdded || !OF_ADDED.includes(list)))
          if (isThere) return [{ ...record, resourceKey: found?.resourceKey ?? key, index }]
          notWritten.push({ list, index, code: 'not-found', message: 'The document does not exist.' })
          return []
        })
        if (placed.length === 0) continue
        for (const [index, outcome] of await (WRITES[list] as Write<StoredList>)(writing, placed as never))
          if (outcome !== 'ok') notWritten.push({ list, index, ...WHY[outcome](list) })
      }
      return notWritten
    })
  }
}

const documentsOf = (record: object): string[] => {
  const { documentId } = record as { documentId?: string }
  return documentId === undefined ? [] : [documentId]
}

const NEEDED: Partial<Record<StoredList, string>> = {
  notifications: 'comment',
  notificationRecipients: 'notification',
}

type Why = (list: StoredList) => { code: NonNullable<ItemResult['code']>; message: string }
const WHY: Record<Exclude<SetOutcome, 'ok'>, Why> = {
  missing: (list) => ({ code: 'not-found', message: `The ${NEEDED[list] ?? 'thread'} does not exist.` }),
  full: () => ({ code: 'failed-precondition', message: 'The thread is full.' }),
  immutable: () => ({ code: 'failed-precondition', message: 'The activity exists, differs, and is immutable.' }),
}
