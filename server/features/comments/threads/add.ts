/** Adds threads to a document (rules/comments.md#threads, rules/comments.md#partial-failures). */
import type { addThreads } from '#contract/comments/threads.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { addMissingDocument } from '#features/resources/documents/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { StatusError } from '#platform/status-error.ts'
import { organizationKey, organizationKeys } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { documentDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import { organizationWrites, type RequestRow } from '#tenancy/writes/coalesced.ts'
import { changeUnderLock, type OrganizationRow } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import { roundsWithoutTriggers, rowsOfThreads, type ThreadAddition, writeThreads } from '../additions.ts'
import { usersWithoutAccess } from '../authors.ts'
import { Faults } from '../checks.ts'
import { requireMembership, requireWriter } from '../users/access.ts'
import { refuseCreating } from '../users/input.ts'
import { wordsOf } from '../words.ts'
import { ADD_THREADS, type NewThreadOutcome } from './add-statements.ts'
import { type NewThread, newThread } from './new-thread.ts'

type Data = DataOf<typeof addThreads>
type Result = ResultOf<typeof addThreads>

/** The results of all threads, and the error that the call is if some failed. */
interface Added {
  data: Result
  failure?: StatusError
}

type Item = Result[string] | { success: false; annotationId?: string; message: string }

const EXISTS = 'A thread with this id exists already.'
const DENIED = 'The author has no access to the document.'

export function createAddThreads({ db, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)
  // A repeat would be refused, because the first attempt may have added the threads.
  const additions = organizationWrites<ThreadAddition, NewThreadOutcome & RequestRow>(db, ADD_THREADS, {
    idempotent: false,
    change: writeThreads,
    roundsOf: roundsWithoutTriggers,
    rowsOf: rowsOfThreads,
  })

  function threadsOf(caller: AnyCaller, data: Data): NewThread[] {
    const { commentAnnotations } = data
    const faults = new Faults()
    if (isUser(caller)) refuseCreating(data, faults)
    const making = { caller, words, keyOf: organizationKeys(caller), faults }
    const last = new Map(commentAnnotations.map(({ annotationId }, index) => [annotationId ?? index, index]))
    const threads = [...last.values()].flatMap((index) => {
      const sent = commentAnnotations[index]
      return (sent && newThread(sent, index, making)) ?? []
    })
    faults.refuse()
    return threads
  }

  const additionOf = (
    caller: AnyCaller,
    place: OrganizationRow & { documentId: string },
    { annotationId, content, comments, users, mentioned, bytes, createdAt, lastUpdated }: NewThread,
  ): ThreadAddition => ({
    ...place,
    isLocked: false,
    ...{ annotationId, bytes, createdAt, lastUpdated, actor: caller.actor },
    added: comments,
    content: JSON.stringify(content),
    comments: JSON.stringify(comments),
    users: JSON.stringify(users),
    mentioned: JSON.stringify(mentioned),
  })

  /** Adds what the call allows to be added, and returns the threads of authors who may write them. */
  async function prepare(
    session: Session,
    caller: AnyCaller,
    data: Data,
    { place, threads }: { place: OrganizationRow & { documentId: string }; threads: readonly NewThread[] },
  ): Promise<NewThread[]> {
    if (isUser(caller)) {
      await requireSignedIn(session, caller)
      await requireWriter(session, caller, data)
      const visibilityOf = ({ index, content }: NewThread) => ({
        field: `commentAnnotations[${index}].visibility`,
        visibility: content.visibility,
      })
      await requireMembership(session, caller, threads.map(visibilityOf))
    } else if (data.createDocument) {
      const { migratedTo } = await addMissingDocument(session, caller, place)
      if (migratedTo !== undefined) throw documentDoesNotExist(migratedTo)
    }
    const authors = new Set(
      data.verifyUserPermissions && !isUser(caller) ? threads.map(({ content }) => content.from.userId) : [],
    )
    const denied = authors.size === 0 ? authors : await usersWithoutAccess(session, caller, data, authors)
    return threads.filter(({ content }) => !denied.has(content.from.userId))
  }

  /** Writes threads together with those of other calls, or alone where more must be done or decided at that moment. */
  function write(caller: AnyCaller, data: Data, threads: readonly NewThread[]): Promise<NewThreadOutcome[]> {
    const { organizationId, documentId, createOrganization = false, createDocument = false } = data
    const place = {
      organizationKey: organizationKey(caller, organizationId),
      apiKeyId: caller.apiKeyId,
      organizationId,
      createOrganization: createOrganization && createDocument,
      documentId,
    }
    if (!(isUser(caller) || createDocument || data.verifyUserPermissions))
      return additions.run(
        threads.map((thread) => additionOf(caller, place, thread)),
        caller.apiKeyId,
      )
    return changeUnderLock(db, [place], async (session, [locked = place]) => {
      const accepted = await prepare(session, caller, data, { place: locked, threads })
      return writeThreads(
        session,
        accepted.map((thread) => ({ ...additionOf(caller, locked, thread), req: 0 })),
      )
    })
  }

  /** Returns the results by the id of each thread; of a denied one without an id, by its place in the call. */
  function resultsOf(threads: readonly NewThread[], outcomes: ReadonlyMap<string, NewThreadOutcome['outcome']>): Added {
    const items = new Map<string, Item>()
    let failure: 'exists' | 'denied' | undefined
    for (const thread of threads) {
      const { annotationId, index } = thread
      const outcome = outcomes.get(annotationId)
      if (outcome === 'ok') items.set(annotationId, successOf(thread))
      else if (outcome === undefined) {
        failure = 'denied'
        items.set(thread.hasOwnId ? annotationId : words.denied(index), { success: false, message: DENIED })
      } else {
        failure ??= 'exists'
        items.set(annotationId, { success: false, annotationId, message: EXISTS })
      }
    }
    const details = Object.fromEntries(items)
    const data = details as Result
    if (failure === undefined) return { data }
    return {
      data,
      failure:
        failure === 'denied'
          ? new StatusError('PERMISSION_DENIED', 'no_access_to_document', DENIED, { details })
          : new StatusError('ALREADY_EXISTS', 'thread_exists', EXISTS, { details }),
    }
  }

  async function add(caller: AnyCaller, data: Data): Promise<Added> {
    const threads = threadsOf(caller, data)
    const outcomes = await write(caller, data, threads)
    for (const { outcome, migratedTo } of outcomes) {
      if (outcome === 'organization_does_not_exist') throw organizationDoesNotExist()
      if (outcome === 'document_does_not_exist') throw documentDoesNotExist(migratedTo)
    }
    return resultsOf(threads, new Map(outcomes.map((outcome) => [outcome.annotationId, outcome.outcome])))
  }

  return { add, coalescers: [additions] }
}

function successOf({ annotationId, comments, content }: NewThread): Result[string] {
  const findingId = content.agent?.reason.findingId
  return {
    success: true,
    annotationId,
    commentIds: comments.map(({ commentId }) => commentId),
    message: 'Comment annotation added successfully.',
    ...(findingId === undefined ? {} : { findingId }),
  }
}
