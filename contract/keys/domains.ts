/** `workspace/domains/*`: the hosts of pages that may call with a user token of the API key. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const Domain = Type.String({
  description:
    'A host such as `example.com`, or `*.example.com` for all its sub-domains. Scheme, `www.`, port and path are dropped; upper case becomes lower case.',
  minLength: 1,
  maxLength: LIMITS.domainCharactersMax,
})

const Domains = Type.Array(Domain, {
  description: 'Hosts as they stand in the addresses of the pages.',
  minItems: 1,
  maxItems: LIMITS.domainsMax,
})
const Stored = Type.Array(Type.String(), {
  description: 'The stored spelling of each domain, in the order of the request.',
})

export const addDomains = operation({
  name: 'domains.add',
  path: '/v2/workspace/domains/add',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Allow domains',
  description: `Allows pages of these hosts to call with a user token. Hosts that were allowed already are in \`skippedDomains\`. A key can have ${LIMITS.domainsMax} domains; a call that would exceed this adds none.`,
  data: ClosedObject({ domains: Domains }),
  result: Type.Object({ domainsAdded: Stored, skippedDomains: Stored }),
  success: 'Domains added successfully.',
  reasons: ['too_many_domains'],
  example: { domains: ['https://app.example.com'] },
})

export const deleteDomains = operation({
  name: 'domains.delete',
  path: '/v2/workspace/domains/delete',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Delete allowed domains',
  description:
    'Pages of these hosts can no longer call with a user token. Hosts that were not allowed are in `skippedDomains`. A wildcard is deleted only by its own name, not by the name of a sub-domain.',
  data: ClosedObject({ domains: Domains }),
  result: Type.Object({ domainsRemoved: Stored, skippedDomains: Stored }),
  success: 'Domains deleted successfully.',
  example: { domains: ['app.example.com'] },
})

export const getDomains = operation({
  name: 'domains.get',
  path: '/v2/workspace/domains/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the allowed domains',
  description: 'Returns the hosts of pages that may call with a user token, in the order in which they were allowed.',
  data: ClosedObject({}),
  result: Type.Object({ allowedDomains: Type.Array(Type.String()) }),
  success: 'Allowed domains retrieved successfully.',
  example: {},
})

export const DOMAIN_OPERATIONS = [addDomains, deleteDomains, getDomains]
