/** `workspace/domains/request` and its answers: hosts that somebody asks to allow, for the owner of the key to accept or reject. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, OrganizationId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { Domain } from './domains.ts'

const Status = Type.Enum(['pending', 'accepted', 'rejected'])

const ClientDocumentId = {
  ...DocumentId,
  description: "The caller's id of the document on the page; it need not exist.",
}

const requestFields = {
  domain: Type.String({ description: 'The stored spelling of the domain.' }),
  clientDocumentId: Type.String({ description: 'Empty if the request named none.' }),
  status: Status,
}

export const DomainRequest = Type.Object({
  id: Type.String(),
  ...requestFields,
  documentName: Type.String({ description: 'The name that the document has now; empty without one.' }),
  organizationId: Type.Optional(Type.String({ description: 'The organization that the request named.' })),
  requestedAt: Type.Integer({ description: 'Milliseconds.' }),
  respondedAt: Type.Optional(Type.Integer({ description: 'Milliseconds; absent while it is pending.' })),
})
export type DomainRequest = Type.Static<typeof DomainRequest>

export const addDomainRequest = operation({
  name: 'domain-requests.add',
  path: '/v2/workspace/domains/request',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Request a domain',
  description:
    'Stores a request to allow the pages of a host; nothing is allowed before it is accepted. While a request for the same host is pending, the call returns that one and stores nothing.',
  data: ClosedObject({
    domain: Domain,
    clientDocumentId: Type.Optional(ClientDocumentId),
    organizationId: Type.Optional(OrganizationId),
  }),
  result: Type.Object({ domainRequestId: Type.String(), ...requestFields }),
  success: 'Domain requested successfully.',
  reasons: ['too_many_domain_requests'],
  example: { domain: 'https://beta.example.com/plans', clientDocumentId: 'roadmap', organizationId: 'acme' },
})

export const getDomainRequests = operation({
  name: 'domain-requests.get',
  path: '/v2/workspace/requested/domains/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the requested domains',
  description: `Returns the requests of the key by their ids, pending and answered, the newest first. A key keeps ${LIMITS.domainRequestsMax}; a new request replaces the one that was answered first.`,
  data: ClosedObject({}),
  result: Type.Object({ requestedDomains: Type.Record(Type.String(), DomainRequest) }),
  success: 'Requested domains retrieved successfully.',
  example: {},
})

export const respondToDomainRequest = operation({
  name: 'domain-requests.respond',
  path: '/v2/workspace/additional-url-request',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Accept or reject a requested domain',
  description:
    'Accepting allows the host, as `domains.add` does, in the same transaction; rejecting changes nothing else. The same answer again succeeds; the opposite one is refused.',
  data: ClosedObject({
    id: Type.String({ description: 'The id of the request.', minLength: 1, maxLength: LIMITS.tokenCharactersMax }),
    action: Type.Enum(['accept', 'reject']),
    clientDocId: Type.Optional({
      ...ClientDocumentId,
      description: 'Accepted only if it equals the `clientDocumentId` of the request.',
    }),
  }),
  result: Type.Object({ requestedDomain: DomainRequest }),
  success: 'Domain request answered successfully.',
  reasons: ['domain_request_does_not_exist', 'domain_request_answered', 'too_many_domains'],
  example: { id: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11', action: 'accept', clientDocId: 'roadmap' },
})

export const DOMAIN_REQUEST_OPERATIONS = [addDomainRequest, getDomainRequests, respondToDomainRequest]
