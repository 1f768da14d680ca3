/** Requests to allow a domain: adding, reading and answering them (rules/keys.md#requested-domains). */

import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { EventType } from '#contract/events/event-types.ts'
import { domainFault, normalizeDomain } from '#contract/keys/domain-names.ts'
import type {
  addDomainRequest,
  DomainRequest,
  getDomainRequests,
  respondToDomainRequest,
} from '#contract/keys/domain-requests.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { credentialsInvalid, invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { isUuid, organizationKey } from '#tenancy/callers/keys.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { changeDomains, withDomains } from './allowed-domains.ts'
import {
  type DomainRequestRow,
  FIND_PENDING_REQUEST,
  GET_DOMAIN_REQUEST,
  INSERT_DOMAIN_REQUEST,
  LIST_DOMAIN_REQUESTS,
  MAKE_ROOM,
  NAME_DOCUMENTS,
  SET_DOMAIN_REQUEST_STATUS,
} from './statements.ts'

const STATUS = { accept: 'accepted', reject: 'rejected' } as const

export function createDomainRequests(db: Db) {
  /** Runs `work` under the lock of the key, so that a host has one pending request, and each request one answer. */
  const change = <T>(caller: Caller, work: (session: Session) => Promise<T>): Promise<T> =>
    changeApiKey(db, caller, caller.apiKeyId, work, credentialsInvalid)

  return {
    async add(caller: Caller, data: DataOf<typeof addDomainRequest>): Promise<ResultOf<typeof addDomainRequest>> {
      const domain = hostOf(data.domain)
      const row = await change(caller, async (session) => {
        const [pending] = await session.run(FIND_PENDING_REQUEST, [caller.apiKeyId, domain])
        if (pending !== undefined) return pending
        const [room] = await session.run(MAKE_ROOM, [caller.apiKeyId])
        if ((room?.count ?? 0) >= LIMITS.domainRequestsMax) throw tooManyRequests()
        const named = [data.organizationId ?? null, data.clientDocumentId ?? null]
        const [added] = await session.run(INSERT_DOMAIN_REQUEST, [caller.apiKeyId, domain, ...named])
        if (added === undefined) throw new Error('a request was not inserted')
        await record(session, caller, 'domain_request.added', added)
        return added
      })
      const { id: domainRequestId, documentId, status } = row
      return { domainRequestId, domain, clientDocumentId: documentId ?? '', status }
    },

    async get(caller: Caller): Promise<ResultOf<typeof getDomainRequests>> {
      const rows = await db.run(LIST_DOMAIN_REQUESTS, [caller.apiKeyId])
      const names = await documentNames(db, caller, rows)
      const requests = rows.map((row) => [row.id, recordOf(row, names.get(row.id))] as const)
      return { requestedDomains: Object.fromEntries(requests) }
    },

    async respond(
      caller: Caller,
      { id, action, clientDocId }: DataOf<typeof respondToDomainRequest>,
    ): Promise<ResultOf<typeof respondToDomainRequest>> {
      if (!isUuid(id)) throw requestDoesNotExist()
      const row = await change(caller, async (session) => {
        const [found] = await session.run(GET_DOMAIN_REQUEST, [caller.apiKeyId, id])
        if (found === undefined || (clientDocId !== undefined && clientDocId !== found.documentId))
          throw requestDoesNotExist()
        if (found.status === STATUS[action]) return found
        if (found.status !== 'pending') throw alreadyAnswered(found.status)
        // A request from before this was refused can only be rejected.
        if (action === 'accept') hostOf(found.domain)
        const [answered = found] = await session.run(SET_DOMAIN_REQUEST_STATUS, [caller.apiKeyId, id, STATUS[action]])
        if (action === 'accept') await changeDomains(session, caller, (allowed) => withDomains(allowed, [found.domain]))
        await record(session, caller, `domain_request.${STATUS[action]}`, answered)
        return answered
      })
      const names = await documentNames(db, caller, [row])
      return { requestedDomain: recordOf(row, names.get(row.id)) }
    },
  }
}

function hostOf(domain: string): string {
  const host = normalizeDomain(domain)
  const fault = domainFault(host)
  if (host !== null && fault === undefined) return host
  throw invalidArgument([{ field: 'domain', message: `domain ${fault}` }])
}

/** Returns the names of the documents of requests, by the ids of the requests. */
async function documentNames(
  db: Db,
  caller: Caller,
  rows: readonly DomainRequestRow[],
): Promise<ReadonlyMap<string, string>> {
  const named = rows.flatMap(({ id, organizationId, documentId }) =>
    organizationId === null || documentId === null
      ? []
      : [{ id, documentId, organizationKey: organizationKey(caller, organizationId) }],
  )
  if (named.length === 0) return new Map()
  const names = await db.runSet(NAME_DOCUMENTS, named)
  return new Map(named.map(({ id }, index) => [id, names[index]?.name ?? '']))
}

const recordOf = (row: DomainRequestRow, documentName = ''): DomainRequest => ({
  id: row.id,
  domain: row.domain,
  clientDocumentId: row.documentId ?? '',
  documentName,
  status: row.status,
  ...(row.organizationId === null ? {} : { organizationId: row.organizationId }),
  requestedAt: row.requestedAt.getTime(),
  ...(row.respondedAt === null ? {} : { respondedAt: row.respondedAt.getTime() }),
})

function record(session: Session, caller: Caller, type: EventType, row: DomainRequestRow): Promise<void> {
  const { workspaceId, apiKeyId, actor } = caller
  const after = {
    id: row.id,
    domain: row.domain,
    ...(row.organizationId === null ? {} : { organizationId: row.organizationId }),
    ...(row.documentId === null ? {} : { documentId: row.documentId }),
  }
  return recordStreamEvents(session, [{ type, workspaceId, apiKeyId, actor, after }])
}

const requestDoesNotExist = (): StatusError =>
  new StatusError('NOT_FOUND', 'domain_request_does_not_exist', 'The API key has no such request for a domain.')

const alreadyAnswered = (status: string): StatusError =>
  new StatusError('FAILED_PRECONDITION', 'domain_request_answered', `The request was ${status} already.`)

const tooManyRequests = (): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_many_domain_requests',
    `An API key can have ${LIMITS.domainRequestsMax} pending requests for domains; accept or reject some.`,
  )
