/** Changes and deletes the threads of a document (rules/comments.md#changing-threads). */
import type { ThreadChange } from '#contract/comments/inputs.ts'
import type { deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import type { BatchResult } from '#contract/core/envelope.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import { organizationKey, organizationKeys } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { checkContext, checkOrganizations, checkSize, checkVisibility, Faults } from '../checks.ts'
import { peopleOfThread, type ThreadContent } from '../content.ts'
import { replaceUsers } from '../people/replace.ts'
import { threadResults } from '../records.ts'
import { changeDocument, requireMembership, visibleThreads } from '../users/access.ts'
import { isForAuthor, NOT_FOR_USERS, threadChangeOfUser } from '../users/input.ts'
import { wordsOf } from '../words.ts'
import { CHOOSE_THREADS, DELETE_THREADS, UPDATE_THREADS } from './change-statements.ts'
import { timeOf } from './new-thread.ts'

type Chosen = Omit<DataOf<typeof deleteThreads>, 'agentUrls'> & { agentUrls?: string[] }

export function createThreadChanges({ db, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)

  /** Runs a change of the chosen threads of a document, under the lock of its organization; returns their results. */
  function change(
    caller: AnyCaller,
    data: Chosen,
    { message, isForAuthor = false }: { message: string; isForAuthor?: boolean },
    work: (session: Session, chosen: { resourceKey: string; ids: string[] }) => Promise<unknown>,
  ): Promise<BatchResult> {
    const { annotationIds = [] } = data
    return changeDocument(db, caller, data, 'writer', async (session, document) => {
      const { key, resourceKey, role } = document
      const rows = await session.run(CHOOSE_THREADS, [
        key,
        resourceKey,
        data.annotationIds ?? null,
        data.locationIds ?? null,
        data.userIds ?? null,
        data.agentId ?? null,
        data.agentSuggestions ?? false,
        data.agentUrls ?? null,
      ])
      const chosen = rows.map(({ annotationId }) => annotationId)
      const visible = isUser(caller) ? await visibleThreads(session, caller, document, chosen) : undefined
      const mayChange = (id: string) => visible?.get(id) ?? visible === undefined
      const isEditor = role === 'editor' && !isForAuthor
      const shown = chosen.filter((id) => visible?.has(id) ?? true)
      const ids = shown.filter((id) => isEditor || mayChange(id))
      if (ids.length > 0) await work(session, { resourceKey, ids })
      const denied = new Set(shown.filter((id) => !ids.includes(id)))
      return threadResults([...new Set([...annotationIds, ...shown])], new Set(ids), message, { denied })
    })
  }

  /** Checks a change, and returns the values that it stores. */
  function changesOf(caller: AnyCaller, sent: ThreadChange) {
    const faults = new Faults()
    const updated = isUser(caller) ? threadChangeOfUser(caller, sent, faults) : sent
    const { createdAt, lastUpdated, context, visibility, suggestion, ...own } = updated
    const keyOf = organizationKeys(caller)
    const at = 'updatedData.visibility'
    if (visibility) checkOrganizations(visibility, at, faults)
    const changes = {
      ...own,
      ...(context && { context: checkContext(context, 'updatedData.context', words, faults) }),
      ...(visibility && { visibility: checkVisibility(visibility, at, { authorId: undefined, keyOf, faults }) }),
      ...(suggestion && { suggestion: { status: 'pending' as const, ...suggestion } }),
    }
    checkSize(changes, 'updatedData', faults)
    faults.refuse()
    const people = peopleOfThread({ visibility: { type: 'public' }, ...changes } as unknown as ThreadContent)
    return {
      changes: JSON.stringify(changes),
      createdAt: timeOf(createdAt),
      lastUpdated: timeOf(lastUpdated),
      users: JSON.stringify([...people.keys()]),
      visibility: changes.visibility,
    }
  }

  return {
    async update(caller: AnyCaller, data: DataOf<typeof updateThreads>): Promise<BatchResult> {
      const { organizationId, documentId, updatedData, updateUsers } = data
      if (updatedData === undefined && updateUsers === undefined)
        throw invalidArgument([{ field: 'updatedData', message: 'updatedData is required, or updateUsers' }])
      if (updateUsers !== undefined && isUser(caller))
        throw invalidArgument([{ field: 'updateUsers', message: `updateUsers ${NOT_FOR_USERS}` }])
      const { visibility, ...changes } = changesOf(caller, updatedData ?? {})
      const organization = organizationKey(caller, organizationId)
      const message = 'Comment annotation updated successfully.'
      const options = { message, isForAuthor: isForAuthor(updatedData ?? {}) }
      return change(caller, data, options, async (session, { resourceKey, ids }) => {
        if (isUser(caller)) await requireMembership(session, caller, [{ field: 'updatedData.visibility', visibility }])
        const row = {
          ...{ req: 0, organizationKey: organization, resourceKey, documentId, actor: caller.actor, ...changes },
          byUserId: isUser(caller) ? caller.userId : null,
        }
        if (updatedData !== undefined)
          await session.runSet(
            UPDATE_THREADS,
            ids.map((annotationId) => ({ ...row, annotationId })),
          )
        if (updateUsers !== undefined) await replaceUsers(session, { ...row, ids }, updateUsers)
      })
    },

    async delete(caller: AnyCaller, data: DataOf<typeof deleteThreads>): Promise<BatchResult> {
      const { organizationId, documentId } = data
      const chosen = { ...data, ...(data.agentUrls && { agentUrls: pagesOf(data.agentUrls) }) }
      const organization = organizationKey(caller, organizationId)
      const message = 'Comment annotation deleted successfully.'
      return change(caller, chosen, { message }, (session, { resourceKey, ids }) => {
        const row = {
          ...{ organizationKey: organization, resourceKey, documentId, actor: caller.actor },
          byUserId: isUser(caller) ? caller.userId : null,
        }
        return session.runSet(
          DELETE_THREADS,
          ids.map((annotationId) => ({ ...row, annotationId })),
        )
      })
    },
  }
}

/** Returns the addresses of pages without their fragments. Refuses a list that names none: it would choose every thread. */
function pagesOf(urls: readonly string[]): string[] {
  const pages = urls.flatMap((url) => url.trim().split('#', 1)).filter((page) => page !== '')
  if (pages.length > 0) return pages
  throw invalidArgument([{ field: 'agentUrls', message: 'agentUrls must name a page' }])
}
