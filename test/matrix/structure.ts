/**
 * Checks the rules that hold after any change (rules/data.md#structure), and recomputes the tree from the parents and
 * threads from their comments.
 */
import assert from 'node:assert/strict'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Db } from '#platform/db/db.ts'

/** Computes the path and boundary of each folder from `folder_key` and `own_access_type` alone. A folder on a cycle is not included. */
const TREE = /* sql */ `
  recursive tree as (
    select organization_key, resource_key, array[resource_key] as path, 1 as boundary_depth,
           resource_key as boundary_key, null::access_type as boundary_access_type
      from resources where kind = 'organization' and organization_key = any($1::uuid[])
    union all
    select f.organization_key, f.resource_key, t.path || f.resource_key,
           case when f.own_access_type is null then t.boundary_depth else cardinality(t.path) + 1 end,
           case when f.own_access_type is null then t.boundary_key else f.resource_key end,
           coalesce(f.own_access_type, t.boundary_access_type)
      from tree t
      join resources f on f.organization_key = t.organization_key and f.kind = 'folder'
           and coalesce(f.folder_key, f.organization_key) = t.resource_key
  )`

const FAULTS = {
  'path or boundary is not what the parents make it': /* sql */ `
    with ${TREE}
    select r.kind, r.id, r.path, r.boundary_depth, r.boundary_key, r.boundary_access_type, t.path as path_of_parents
      from resources r
      left join tree t on t.organization_key = r.organization_key and t.resource_key = r.resource_key
     where r.organization_key = any($1::uuid[]) and r.kind <> 'document'
       and (r.path, r.boundary_depth, r.boundary_key, r.boundary_access_type)
           is distinct from (t.path, t.boundary_depth, t.boundary_key, t.boundary_access_type)`,
  'in something that is not a folder, or not added': /* sql */ `
    select r.kind, r.id from resources r
      left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
     where r.organization_key = any($1::uuid[]) and r.folder_key is not null
       and (f.kind is distinct from 'folder' or f.added_at is null)`,
  'folder without a shelf, or document that is not on the shelf of its folder': /* sql */ `
    select r.kind, r.id, r.shelf_key, f.shelf_key as shelf_of_folder from resources r
      left join resources f on f.organization_key = r.organization_key and f.resource_key = r.folder_key
     where r.organization_key = any($1::uuid[])
       and case r.kind when 'organization' then r.shelf_key is not null
                       when 'folder' then r.shelf_key is null
                       else r.shelf_key is distinct from f.shelf_key end`,
  'grant without its resource': /* sql */ `
    select g.* from grants g
      left join resources r on r.organization_key = g.organization_key and r.resource_key = g.resource_key
     where g.organization_key = any($1::uuid[]) and r.kind is distinct from g.kind`,
  'organization without its resource, or the other way round': /* sql */ `
    select o.organization_id, o.added_at, r.id from organizations o
      full join (select * from resources where kind = 'organization') r on r.organization_key = o.organization_key
     where coalesce(o.organization_key, r.organization_key) = any($1::uuid[])
       and ((o.added_at is null) <> (r.id is null) or r.resource_key <> o.organization_key or r.id <> o.organization_id)`,
  'old id of a document that another document has': /* sql */ `
    select a.document_id from document_aliases a
      join resources r on r.organization_key = a.organization_key and r.kind = 'document' and r.id = a.document_id
     where a.organization_key = any($1::uuid[])`,
  'events with gaps, or not as many as counted': /* sql */ `
    select o.organization_id, o.event_count, e.first, e.last, e.events from organizations o
     cross join lateral (select min(sequence) as first, max(sequence) as last, count(*) as events
                           from events where stream = o.organization_key) e
     where o.organization_key = any($1::uuid[])
       and (e.events <> o.event_count or e.events > 0 and (e.first, e.last) <> (1, o.event_count))`,
  'thread whose columns are not what its comments make them': /* sql */ `
    select t.annotation_id, t.comment_count, t.last_position, t.comments_written, t.mentioned_user_ids, c.*
      from threads t
     cross join lateral (
        select count(*) as comments, count(distinct c.position) as positions, max(c.position) as last, max(c.position) <= t.comments_written as is_written
          from thread_comments c
         where c.organization_key = t.organization_key and c.resource_key = t.resource_key and c.annotation_id = t.annotation_id
      ) c
     where t.organization_key = any($1::uuid[])
       and ((t.comment_count, t.comment_count, t.last_position, true) is distinct from (c.comments, c.positions, c.last, c.is_written)
            or array(select unnest(t.mentioned_user_ids) order by 1)
               <> array(select distinct tag.value ->> 'userId' as user_id from thread_comments c
                         cross join lateral jsonb_array_elements(c.content -> 'taggedUserContacts') as tag(value)
                         where c.organization_key = t.organization_key and c.resource_key = t.resource_key and c.annotation_id = t.annotation_id
                         order by 1))`,
  'comment whose words are not those of its text': /* sql */ `
    select c.annotation_id, c.comment_id, c.words from thread_comments c join organizations o on o.organization_key = c.organization_key
     where c.organization_key = any($1::uuid[])
       and (c.api_key_id, c.words) is distinct from (o.api_key_id, search_tokens(o.api_key_id, comment_text(c.content)))`,
  'search entry that is missing, left over or not what it is about': /* sql */ `
    with wanted as (
      select o.api_key_id, r.kind::text::search_kind as kind, r.organization_key as place, r.resource_key as entry_key, r.id, r.name
        from resources r join organizations o on o.organization_key = r.organization_key where r.kind <> 'organization'
      union all
      select api_key_id, 'organization', organization_key, organization_key, organization_id, name
        from organizations where added_at is not null
      union all
      select o.api_key_id, 'userGroup', g.organization_key, search_key(g.organization_key::text || g.group_id), g.group_id, g.name
        from user_groups g join organizations o on o.organization_key = g.organization_key
    )
    select e.kind, e.id, e.words, w.kind as wanted_kind, w.id as wanted_id, w.name as wanted_name
      from (select * from wanted where place = any($1::uuid[])) w
      full join (select * from search_entries where place = any($1::uuid[])) e
           on e.api_key_id = w.api_key_id and e.kind = w.kind and e.place = w.place and e.entry_key = w.entry_key
     where (e.id, e.words) is distinct from (w.id, search_words(w.id, w.name, null))`,
} as const

/** Fails with the rows that violate a rule. */
export async function assertStructure(db: Db, organizations: readonly OrganizationKey[]): Promise<void> {
  for (const [fault, text] of Object.entries(FAULTS))
    assert.deepEqual((await db.query(text, [organizations])).rows, [], fault)
}
