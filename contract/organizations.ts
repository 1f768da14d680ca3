/** `organizations/*`: the tenants of an API key's application. */
import Type from 'typebox'
import { BatchResult, ItemResult } from './envelope.ts'
import { Items, Name, OrganizationId, PageSize, PageToken } from './ids.ts'
import { operation } from './operation.ts'

/** Open: other fields are metadata, stored and returned (decisions A3). */
export const OrganizationInput = Type.Object(
  { organizationId: OrganizationId, organizationName: Type.Optional(Name('The name of the organization.')) },
  { additionalProperties: true, metadata: true },
)
export type OrganizationInput = Type.Static<typeof OrganizationInput>

export const OrganizationRecord = Type.Object(
  {
    id: Type.String({ description: "The caller's id." }),
    organizationName: Type.Optional(Type.String()),
    disabled: Type.Boolean(),
  },
  { additionalProperties: true },
)

export const addOrganizations = operation({
  name: 'organizations.add',
  path: '/v2/organizations/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add organizations',
  description:
    'Adds organizations, or updates the name and metadata of those that are there: absent fields stay as they are.',
  data: Type.Object(
    { organizations: Items(OrganizationInput, 'The same id twice: the last wins.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Organizations added successfully.',
  example: { organizations: [{ organizationId: 'acme', organizationName: 'Acme Inc.' }] },
})

export const getOrganizations = operation({
  name: 'organizations.get',
  path: '/v2/organizations/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get organizations',
  description:
    'All organizations of the key in id order, page by page; or the named ones, one entry for each in the order asked, where an unknown id gets `{ id, success: false, code: "not-found" }`.',
  data: Type.Object(
    {
      organizationIds: Type.Optional(Items(OrganizationId, 'Only these, in this order; no paging.')),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Array(Type.Union([OrganizationRecord, ItemResult])),
  success: 'Organizations retrieved successfully.',
  example: { organizationIds: ['acme'] },
})
