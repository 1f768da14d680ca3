/** The SQL statement that decides what readers of a stream see of threads, at the moment of sending. */
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { decided } from '#features/permissions/shared.ts'
import { setStatement } from '#platform/db/statement.ts'
import { isMember } from '#tenancy/grants.ts'
import { isPublicThread, isVisibleTo } from '#tenancy/thread-visibility.ts'

export interface ReaderRow {
  organizationKey: OrganizationKey
  documentId: string
  annotationId: string
  userId: string
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
}

export interface ReaderOutcome {
  isOpen: boolean
  isVisible: boolean
  /** Whether the reader is a member of the organization. */
  isMember: boolean
  /** Null: there is no such thread. */
  isPublic: boolean | null
  /** Whether it is private to organizations: who sees it changes with memberships. */
  isOfMembers: boolean | null
  bytes: number | null
}

/** Decides for each reader whether they see a thread: the document is open to them, and the visibility includes them. */
export const DECIDE_READERS = setStatement<ReaderRow, ReaderOutcome>(
  'threads.decide-readers',
  {
    organizationKey: 'uuid',
    documentId: 'text',
    annotationId: 'text',
    userId: 'text',
    defaultAccessType: 'access_type',
    defaultAccessRole: 'access_role',
  },
  /* sql */ `
  with question as materialized (
    select item.organization_key, 'document'::resource_kind as kind, item.document_id as resource_id, item.user_id,
           item.default_access_type, item.default_access_role, null::access_role as at_least, item.annotation_id, item.ord as asked
      from $input
  ),
  ${decided('question item').trim()}
  select d.allowed as "isOpen", d.allowed and coalesce(t.is_visible, false) as "isVisible", t.is_public as "isPublic", t.bytes,
         t.is_of_members as "isOfMembers",
         ${isMember('d.organization_key', 'd.user_id')} as "isMember"
    from decided d
    left join lateral (
      select ${isVisibleTo('t', 'd.user_id').trim()} as is_visible, t.visibility = 'public' as is_public, t.bytes,
             t.visibility = 'organizationPrivate' as is_of_members
        from threads t
       where t.organization_key = d.organization_key and t.resource_key = d.chain[cardinality(d.chain)]
         and t.annotation_id = d.annotation_id limit 1
    ) t on true
   order by d.asked`,
)

/** Returns the private threads of each document that are visible to the user: the 1,000 that changed last. */
export const FIND_PRIVATE_THREADS = setStatement<
  { organizationKey: string; documentId: string; userId: string },
  { documentId: string; annotationId: string }
>(
  'threads.find-private',
  { organizationKey: 'uuid', documentId: 'text', userId: 'text' },
  /* sql */ `
  select item.document_id as "documentId", t.annotation_id as "annotationId"
    from $input
   cross join lateral (
      select d.resource_key from resources d
       where d.organization_key = item.organization_key and d.kind = 'document' and d.id = item.document_id limit 1
    ) d
   cross join lateral (
      select t.annotation_id from threads t
       where t.organization_key = item.organization_key and t.resource_key = d.resource_key and t.visibility <> 'public'
         and ${isPublicThread('t')} is not true
         and ${isVisibleTo('t', 'item.user_id').trim()}
       order by t.last_updated desc, t.annotation_id desc limit 1000
    ) t
   order by item.ord`,
)

/**
 * Returns, for each user and document, the key of the document, and the organizations of which the user is a member, of
 * those for which a thread of the document is private. Membership decides about such threads (`isVisibleTo`), and can
 * change without an event of the thread. The threads of a document are read once for all users.
 */
export const LIST_MEMBERSHIPS = setStatement<
  { organizationKey: string; documentId: string; userId: string },
  { memberships: string }
>(
  'threads.list-memberships',
  { organizationKey: 'uuid', documentId: 'text', userId: 'text' },
  /* sql */ `
  with named as materialized (select distinct item.organization_key, item.document_id from $input),
  place as materialized (
    select distinct n.organization_key, n.document_id, o.key
      from named n
     cross join lateral (
        select d.resource_key from resources d
         where d.organization_key = n.organization_key and d.kind = 'document' and d.id = n.document_id limit 1
      ) d
     cross join lateral (
        select t.visibility_organization_keys as keys from threads t
         where t.organization_key = n.organization_key and t.resource_key = d.resource_key
           and t.visibility = 'organizationPrivate' and ${isPublicThread('t')} is not true offset 0
      ) t
     cross join lateral unnest(t.keys) as o (key)
  )
  select concat_ws(' ', d.resource_key, m.keys) as memberships
    from $input
    left join lateral (
      select d.resource_key from resources d
       where d.organization_key = item.organization_key and d.kind = 'document' and d.id = item.document_id limit 1
    ) d on true
   cross join lateral (
      select string_agg(p.key::text, ' ' order by p.key) as keys from place p
       where p.organization_key = item.organization_key and p.document_id = item.document_id
         and ${isMember('p.key', 'item.user_id')}
   ) m
   order by item.ord`,
)
