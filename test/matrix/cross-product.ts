/** Every case of a decision, as data: an organization with resources of every kind, and a user for each combination of grants. */
import type { AccessRole } from '#contract/access/permissions.ts'
import type { Grant, Resource } from './interpreter.ts'
import { ACCESS_TYPES } from './worlds.ts'

/** Unix seconds. */
export const NOW = 1_000
export const OWN_ACCESS_TYPES = [undefined, ...ACCESS_TYPES]
const grantsOf = (roles: readonly AccessRole[]): Grant[] =>
  roles.flatMap((role) => [{ role }, { role, expiresAt: NOW }, { role, expiresAt: NOW + 1 }])
const LEVELS = ['outer folder', 'folder', 'document'] as const

/** Users differ in their grants: below the organization, and on it. */
export interface User {
  id: string
  below?: { level: (typeof LEVELS)[number]; grant: Grant }
  membership?: Grant
}

const nameOf = (grant: Grant | undefined) => (grant === undefined ? 'none' : `${grant.role} until ${grant.expiresAt}`)

/** A user for each combination of grants with some roles. */
export function usersWith(roles: readonly AccessRole[]): User[] {
  const grants = grantsOf(roles)
  return [undefined, ...LEVELS.flatMap((level) => grants.map((grant) => ({ level, grant })))].flatMap((below) =>
    [undefined, ...grants].map((membership) => {
      const where = below === undefined ? 'nothing below' : `${below.level}: ${nameOf(below.grant)}`
      return {
        id: `${where}, organization: ${nameOf(membership)}`,
        ...(below && { below }),
        ...(membership && { membership }),
      }
    }),
  )
}

export interface Table {
  organization: Resource
  outer: Resource
  folders: Resource[]
  documents: Resource[]
  users: readonly User[]
}

/**
 * An outer folder without an access type of its own; in it a folder of each access type; in those, documents of each,
 * one of two disabled.
 */
export function tableOf(id: string, disabled: boolean, users: readonly User[]): Table {
  const resource = (type: Resource['type'], name: string, parent?: Resource, more: Partial<Resource> = {}) => ({
    type,
    id: name,
    ...(parent && { parent }),
    disabled: false,
    grants: new Map<string, Grant[]>(),
    ...more,
  })
  const organization = resource('organization', id, undefined, { disabled })
  const outer = resource('folder', 'outer', organization)
  const folders = OWN_ACCESS_TYPES.map((accessType) =>
    resource('folder', `folder ${accessType}`, outer, { accessType }),
  )
  const documents = folders.flatMap((folder) =>
    OWN_ACCESS_TYPES.flatMap((accessType) =>
      [false, true].map((isDisabled) => {
        const name = `${isDisabled ? 'disabled ' : ''}document ${accessType} in ${folder.id}`
        return resource('document', name, folder, { accessType, disabled: isDisabled })
      }),
    ),
  )
  for (const { id: user, below, membership } of users) {
    if (membership !== undefined) organization.grants.set(user, [membership])
    const at = below && { 'outer folder': [outer], folder: folders, document: documents }[below.level]
    for (const { grants } of at ?? []) grants.set(user, [below?.grant ?? { role: 'viewer' }])
  }
  return { organization, outer, folders, documents, users }
}
