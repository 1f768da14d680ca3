/** The SQL statements of allowed and requested domains. Statements that write run under the lock of the key. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DomainRequest } from '#contract/keys/domain-requests.ts'
import { setStatement, statement } from '#platform/db/statement.ts'

export const GET_DOMAINS = statement<{ domains: string[] }>(
  'domains.get',
  'select allowed_domains as domains from api_keys where api_key_id = $1',
)

export const SET_DOMAINS = statement<never>(
  'domains.set',
  'update api_keys set allowed_domains = $2::text[] where api_key_id = $1',
)

export interface DomainRequestRow {
  id: string
  domain: string
  organizationId: string | null
  documentId: string | null
  status: DomainRequest['status']
  requestedAt: Date
  respondedAt: Date | null
}

const COLUMNS = /* sql */ `request_id as id, domain, requested_organization_id as "organizationId", requested_document_id as "documentId",
         status, requested_at as "requestedAt", responded_at as "respondedAt"`

export const FIND_PENDING_REQUEST = statement<DomainRequestRow>(
  'domain-requests.find-pending',
  `select ${COLUMNS} from domain_requests where api_key_id = $1 and domain = $2 and status = 'pending'`,
)

export const GET_DOMAIN_REQUEST = statement<DomainRequestRow>(
  'domain-requests.get',
  `select ${COLUMNS} from domain_requests where api_key_id = $1 and request_id = $2::uuid`,
)

export const LIST_DOMAIN_REQUESTS = statement<DomainRequestRow>(
  'domain-requests.list',
  `select ${COLUMNS} from domain_requests where api_key_id = $1 order by requested_at desc, request_id`,
)

/** Makes room for one more request of key `$1`: deletes the requests that were answered earliest. Returns how many requests are left. */
export const MAKE_ROOM = statement<{ count: number }>(
  'domain-requests.make-room',
  /* sql */ `
  with kept as materialized (
    select request_id, row_number() over (order by responded_at desc nulls first, request_id) as nth
      from domain_requests where api_key_id = $1
  ),
  deleted as (
    delete from domain_requests r using kept k
     where r.api_key_id = $1 and r.request_id = k.request_id and k.nth >= ${LIMITS.domainRequestsMax} and r.status <> 'pending'
    returning 1
  )
  select (select count(*) from kept) - (select count(*) from deleted) as count`,
)

export const INSERT_DOMAIN_REQUEST = statement<DomainRequestRow>(
  'domain-requests.insert',
  /* sql */ `
  insert into domain_requests (api_key_id, domain, requested_organization_id, requested_document_id) values ($1, $2, $3, $4)
  returning ${COLUMNS}`,
)

export const SET_DOMAIN_REQUEST_STATUS = statement<DomainRequestRow>(
  'domain-requests.respond',
  /* sql */ `
  update domain_requests set status = $3, responded_at = clock_timestamp() where api_key_id = $1 and request_id = $2::uuid
  returning ${COLUMNS}`,
)

/** Returns the names of documents, in the order of the rows; null for one that does not exist or has none. */
export const NAME_DOCUMENTS = setStatement<
  { organizationKey: OrganizationKey; documentId: string },
  { name: string | null }
>(
  'domain-requests.name-documents',
  { organizationKey: 'uuid', documentId: 'text' },
  /* sql */ `
  select r.name
    from $input
    left join lateral (
      select r.name from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
         and r.added_at is not null limit 1
    ) r on true
   order by item.ord`,
)
