/**
 * Takes deleted organizations from the threads of other organizations that are private to their members. An organization that is added
 * later under the id is another one, and its members must not see these threads (rules/comments.md#visibility).
 */
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { visibilityOf } from '#tenancy/thread-visibility.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

type Deleted = Pick<OrganizationRow, 'organizationKey' | 'apiKeyId'>
const DELETED = { organizationKey: 'uuid', apiKeyId: 'text' } as const

/** The threads `t` of the other organizations `o` of the API key that name the organization of `item`, by an index of such threads. */
const JOIN_THREADS = /* sql */ `
     cross join lateral (
        select t.* from threads t
         where t.visibility_organization_keys @> array[item.organization_key] and t.visibility = 'organizationPrivate'
           and t.visibility_organization_keys <> array[t.organization_key] and t.organization_key <> item.organization_key offset 0
      ) t
     cross join lateral (
        select o.organization_id from organizations o
         where o.organization_key = t.organization_key and o.api_key_id = item.api_key_id offset 0
      ) o`

/** Returns the other organizations that have threads for members of the named ones: they are locked before their threads change. */
export const FIND_ORGANIZATIONS_WITH_THREADS = setStatement<Deleted, { organizationId: string }>(
  'organizations.find-with-threads',
  DELETED,
  /* sql */ `
  select distinct o.organization_id as "organizationId"
    from $input${JOIN_THREADS}`,
)

/**
 * Takes the named organizations from the visibility of threads of others. If no organization is left, a thread is for the users whom it
 * names, of whom its author is one. Runs under the locks of all these organizations.
 */
export const FORGET_IN_THREADS = setStatement<Deleted & { actor: Actor }, never>(
  'organizations.forget-in-threads',
  { ...DELETED, actor: 'jsonb' },
  /* sql */ `
  with deleted as materialized (select * from $input),
  named as materialized (
    select distinct t.organization_key, t.resource_key, t.annotation_id, t.content, item.actor,
           ${visibilityOf('t.content')} as old_visibility
      from deleted item${JOIN_THREADS}
  ),
  changed as materialized (
    select n.*, row_number() over (order by n.resource_key, n.annotation_id) as position, d.id as document_id,
           jsonb_set(n.content, '{visibility}', case
             when others.ids is null
               then jsonb_build_object('type', 'restricted', 'userIds', coalesce(n.content -> 'visibility' -> 'userIds', '[]'))
             else (n.content -> 'visibility') || jsonb_build_object('organizationId', others.ids -> 0, 'organizationIds', others.ids,
                                                                    'organizationKeys', others.keys) end) as new_content
      from named n
     cross join lateral (
        select jsonb_agg(v.id order by v.nth) as ids, jsonb_agg(v.key order by v.nth) as keys
          from rows from (jsonb_array_elements_text(n.content -> 'visibility' -> 'organizationIds'),
                          jsonb_array_elements_text(n.content -> 'visibility' -> 'organizationKeys')) with ordinality as v (id, key, nth)
         where v.key::uuid not in (select organization_key from deleted)
      ) others
     cross join lateral (
        select d.id from resources d where d.organization_key = n.organization_key and d.resource_key = n.resource_key limit 1
      ) d
  ),
  written as (
    update threads t
       set content = c.new_content, bytes = t.bytes + octet_length(c.new_content::text) - octet_length(c.content::text)
      from changed c
     where t.organization_key = c.organization_key and t.resource_key = c.resource_key and t.annotation_id = c.annotation_id
  ),
  event as (
    select c.organization_key, c.position, 'thread.visibility_changed' as type, 'document'::resource_kind as resource_kind,
           c.document_id as resource_id, null::text as user_id, c.actor,
           jsonb_build_object('annotationId', c.annotation_id, 'visibility', c.old_visibility) as before,
           jsonb_build_object('annotationId', c.annotation_id, 'visibility', ${visibilityOf('c.new_content')}) as after
      from changed c
  ),
  ${RECORD_EVENTS}
  select null where false`,
)
