/** Checks that an organization or resource exists, with which every read of one organization begins. */

import type { ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { type AccessInForce, accessInForce } from './public-access.ts'
import {
  documentDoesNotExist,
  folderDoesNotExist,
  organizationDoesNotExist,
  userGroupDoesNotExist,
} from './refusals.ts'

export const FIND_ORGANIZATION = statement<object>(
  'organizations.find',
  'select from organizations where organization_key = $1 and added_at is not null',
)

/** Refuses with NOT_FOUND unless the organization has been added. */
export async function requireOrganization(session: Session, key: OrganizationKey): Promise<void> {
  const [organization] = await session.run(FIND_ORGANIZATION, [key])
  if (organization === undefined) throw organizationDoesNotExist()
}

/**
 * Returns SQL that joins `moved`: the document that a migration gave another id, found by its old id if `condition` holds.
 * All of its columns are null when there is none.
 */
export const joinMigrated = (
  organizationKey: string,
  documentId: string,
  condition: string,
): string => /* sql */ `left join lateral (
        select moved.id, moved.name
          from document_aliases a
          join resources moved on moved.organization_key = a.organization_key and moved.resource_key = a.resource_key
         where ${condition}
           and a.organization_key = ${organizationKey} and a.document_id = ${documentId} limit 1
      ) moved on true`

/**
 * Joins the resource `r` that the row `item` names, added or declared, and `moved`. Each is found by its key, once for each
 * row.
 */
export const JOIN_RESOURCE = /* sql */ `left join lateral (
        select r.resource_key, r.added_at, r.own_access_type, r.boundary_access_type, r.boundary_key, r.folder_key from resources r
         where r.organization_key = item.organization_key and r.kind = item.kind and r.id = item.resource_id limit 1
      ) r on true
      ${joinMigrated('item.organization_key', 'item.resource_id', "item.kind = 'document' and r.resource_key is null")}`

/** Joins also its organization `o`. */
export const JOIN_NAMED = /* sql */ `left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key limit 1
      ) o on true
      ${JOIN_RESOURCE}`

/** Finds the resource of kind `$2` and id `$3`, added or declared, or the new id of a migrated document. */
export const FIND_RESOURCE = statement<{
  organizationAdded: boolean
  /** Null: the resource does not exist. */
  resourceKey: string | null
  migratedTo: string | null
}>(
  'resources.find',
  /* sql */ `
  select o.added_at is not null as "organizationAdded", r.resource_key as "resourceKey", moved.id as "migratedTo"
    from organizations o
    left join lateral (
      select r.resource_key from resources r
       where r.organization_key = o.organization_key and r.kind = $2::resource_kind and r.id = $3 limit 1
    ) r on true
    ${joinMigrated('o.organization_key', '$3', "$2::resource_kind = 'document' and r.resource_key is null")}
   where o.organization_key = $1`,
)

/** Finds the same, and the access type in force on the resource. */
export const FIND_RESOURCE_AND_ACCESS = statement<
  { organizationAdded: boolean; resourceKey: string | null; migratedTo: string | null } & AccessInForce
>(
  'resources.find-with-access',
  /* sql */ `
  select o.added_at is not null as "organizationAdded", named.resource_key as "resourceKey", moved.id as "migratedTo",
         named.access
    from organizations o
    left join lateral (
      select r.resource_key, ${accessInForce('o.organization_key')}
        from (select r.* from resources r
               where r.organization_key = o.organization_key and r.kind = $2::resource_kind and r.id = $3 limit 1) r
    ) named on true
    ${joinMigrated('o.organization_key', '$3', "$2::resource_kind = 'document' and named.resource_key is null")}
   where o.organization_key = $1`,
)

/** Returns the key of a resource, added or declared. Refuses with NOT_FOUND when it does not exist. */
export async function requireResource(
  session: Session,
  key: OrganizationKey,
  { type, id }: { type: ResourceType; id: string },
): Promise<string> {
  const [found] = await session.run(FIND_RESOURCE, [key, type, id])
  return existing(found, type).resourceKey
}

/**
 * Returns the key of the document that a call names, or null if it asks about the whole organization. Refuses with
 * NOT_FOUND what does not exist.
 */
export async function requireDocumentOrOrganization(
  session: Session,
  key: OrganizationKey,
  documentId: string | undefined,
): Promise<string | null> {
  if (documentId !== undefined) return requireResource(session, key, { type: 'document', id: documentId })
  await requireOrganization(session, key)
  return null
}

/** Returns the key of a resource, and the access type in force on it. Refuses with NOT_FOUND when it does not exist. */
export async function requireResourceAndAccess(
  session: Session,
  key: OrganizationKey,
  { type, id }: { type: ResourceType; id: string },
): Promise<AccessInForce & { resourceKey: string }> {
  const [found] = await session.run(FIND_RESOURCE_AND_ACCESS, [key, type, id])
  return existing(found, type)
}

function existing<Row extends { organizationAdded: boolean; resourceKey: string | null; migratedTo: string | null }>(
  found: Row | undefined,
  type: ResourceType,
): Row & { resourceKey: string } {
  if (!found?.organizationAdded) throw organizationDoesNotExist()
  const { resourceKey } = found
  if (resourceKey !== null) return { ...found, resourceKey }
  throw type === 'folder' ? folderDoesNotExist() : documentDoesNotExist(found.migratedTo)
}

export const FIND_USER_GROUP = statement<{ groupId: string }>(
  'user-groups.find',
  'select group_id as "groupId" from user_groups where organization_key = $1 and group_id = $2',
)

/** Refuses with NOT_FOUND unless the organization has the user group, which `field` names. */
export async function requireUserGroup(
  session: Session,
  key: OrganizationKey,
  groupId: string,
  field: string,
): Promise<void> {
  const [group] = await session.run(FIND_USER_GROUP, [key, groupId])
  if (group === undefined) throw userGroupDoesNotExist([field])
}
