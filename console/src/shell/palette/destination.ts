/** Where the results of a search lead. */
import type { NavigateOptions } from '@tanstack/react-router'
import { ACCESS } from '../../links/paths.ts'
import type { Found } from '../../queries/search.ts'
import { searchOf } from '../../resource.ts'

/** Returns the address of the view that shows it. */
export function destinationOf(
  apiKey: string,
  { kind, id, organizationId = id, documentId = id }: Found,
): NavigateOptions {
  const params = { apiKey }
  if (kind === 'user') return { to: '/keys/$apiKey/users/user', params, search: { userId: id } }
  if (kind === 'userGroup') return { to: '/keys/$apiKey/groups', params, search: { organizationId, groupId: id } }
  if (kind === 'thread')
    return { to: '/keys/$apiKey/threads/thread', params, search: { organizationId, documentId, annotationId: id } }
  if (kind === 'document') return { to: ACCESS, params, search: searchOf(organizationId, { type: kind, id }) }
  const search = { organizationId, ...(kind === 'folder' && { folderId: id }) }
  return { to: '/keys/$apiKey/organizations/resources', params, search }
}

/** Returns the address of the dialog that gives access to an organization, folder or document. */
export const givingAccessTo = (apiKey: string, { kind, id, organizationId = id }: Found): NavigateOptions => {
  const type = kind === 'folder' || kind === 'document' ? kind : 'organization'
  return { to: ACCESS, params: { apiKey }, search: { ...searchOf(organizationId, { type, id }), giving: true } }
}
