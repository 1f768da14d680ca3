/** `organizations/*`: the tenants of the application that owns the API key. */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { BatchResult, ItemResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, ItemsOrNone, Name, OrderBy, OrganizationId, PAGING } from '../core/ids.ts'
import { operation } from '../core/operation.ts'

export const OrganizationRecord = Type.Object(
  {
    id: Type.String({ description: "The caller's id." }),
    organizationName: Type.Optional(Type.String()),
    disabled: Type.Boolean(),
  },
  { additionalProperties: true },
)

const OPEN = {
  additionalProperties: true,
  metadata: true,
  recordFields: Object.keys(OrganizationRecord.properties),
  accessAdvice: ACCESS_ADVICE.organization,
} as const

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const OrganizationInput = Type.Object(
  {
    organizationId: OrganizationId,
    organizationName: Type.Optional(Name('The name of the organization.')),
    disabled: Type.Optional(
      Type.Boolean({ description: 'True denies access to every user, in all folders and documents.' }),
    ),
  },
  OPEN,
)
export type OrganizationInput = Type.Static<typeof OrganizationInput>

/** The fields of an organization in an update, where `null` clears a field. */
export const OrganizationChange = Type.Object(
  {
    organizationId: OrganizationId,
    organizationName: Type.Optional(Type.Union([Name('The name of the organization.'), Type.Null()])),
  },
  OPEN,
)

export const addOrganizations = operation({
  name: 'organizations.add',
  path: '/v2/organizations/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add organizations',
  description: 'Adds organizations. Those that exist already get the given fields; absent fields keep their values.',
  data: ClosedObject({ organizations: Items(OrganizationInput, 'The same id twice: the last wins.') }),
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
    'Returns all organizations of the key in id order or by name, page by page. With `organizationIds` it returns these in the order of the request; an unknown id gets `{ id, success: false, code: "not-found" }`.',
  data: ClosedObject({
    organizationIds: Type.Optional(ItemsOrNone(OrganizationId, 'Only these, in this order; no paging. Empty: none.')),
    orderBy: Type.Optional(OrderBy),
    ...PAGING,
  }),
  result: Type.Array(Type.Union([OrganizationRecord, ItemResult])),
  resultBy: 'organizationIds',
  success: 'Organizations retrieved successfully.',
  reasons: ['too_many_bytes'],
  example: { organizationIds: ['acme'] },
})

export const updateOrganizations = operation({
  name: 'organizations.update',
  path: '/v2/organizations/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Update organizations',
  description:
    'Merges name and metadata: an absent field keeps its value, `null` clears it. An unknown organization gets `code: "not-found"`.',
  data: ClosedObject({ organizations: Items(OrganizationChange, 'The same id twice: the last wins.') }),
  result: BatchResult,
  success: 'Organizations updated successfully.',
  example: { organizations: [{ organizationId: 'acme', organizationName: 'Acme Corporation' }] },
})

export const deleteOrganizations = operation({
  name: 'organizations.delete',
  path: '/v2/organizations/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete organizations',
  description:
    'Deletes organizations with everything inside: folders, documents, grants, user groups and migrations, all in one transaction. User profiles are kept, because they belong to the API key. An unknown organization gets `code: "not-found"`.',
  data: ClosedObject({ organizationIds: ItemsOrNone(OrganizationId, 'The organizations to delete. Empty: none.') }),
  result: BatchResult,
  success: 'Organizations deleted successfully.',
  example: { organizationIds: ['acme'] },
})

export const disableOrganizations = operation({
  name: 'organizations.disable',
  path: '/v2/organizations/access/disablestate/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Disable or enable organizations',
  description:
    'Disables or enables organizations. A disabled organization denies access to every user, in all its folders and documents; management calls still work. An unknown organization gets `code: "not-found"`.',
  data: ClosedObject({
    organizationIds: ItemsOrNone(OrganizationId, 'The organizations. Empty: none.'),
    disabled: Type.Boolean(),
  }),
  result: BatchResult,
  success: 'Organizations updated successfully.',
  warns: true,
  example: { organizationIds: ['acme'], disabled: true },
})

export const ORGANIZATION_OPERATIONS = [
  addOrganizations,
  getOrganizations,
  updateOrganizations,
  disableOrganizations,
  deleteOrganizations,
]
