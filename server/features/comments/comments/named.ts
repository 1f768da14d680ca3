/** SQL that finds the thread that a row names, and why it cannot be changed. */
import { joinMigrated } from '#tenancy/existence.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

export interface NamedThreadRow extends OrganizationRow {
  documentId: string
  annotationId: string
}

export type MissingThread = 'organization_does_not_exist' | 'document_does_not_exist' | 'thread_does_not_exist'

/**
 * Joins to `item` its organization `o`, document `d`, thread `t`, and `moved`, the new id of a migrated document.
 * `isLocked` is whether the transaction has locked the organization `o`. An organization that it has not locked is
 * treated as one that does not exist.
 */
export const joinThread = (isLocked = 'true'): string => /* sql */ `
      left join lateral (
        select o.added_at from organizations o where o.organization_key = item.organization_key and ${isLocked} limit 1
      ) o on true
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id
           and r.added_at is not null limit 1
      ) d on true
      left join lateral (
        select t.ctid as row, t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = d.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
      ${joinMigrated('item.organization_key', 'item.document_id', 'd.resource_key is null')}`

/** The outcomes of a document that is not there, as the beginning of a `case`. */
export const WHEN_NO_DOCUMENT = /* sql */ `when o.added_at is null then 'organization_does_not_exist'
                when d.resource_key is null then 'document_does_not_exist'`

/** The outcomes if the document or the thread does not exist. */
export const WHEN_MISSING = /* sql */ `${WHEN_NO_DOCUMENT}
                when t.row is null then 'thread_does_not_exist'`
