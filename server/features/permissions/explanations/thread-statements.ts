/** The SQL statement that explains the visibility of a thread. */
import { statement } from '#platform/db/statement.ts'
import { isMember } from '#tenancy/grants.ts'
import { isVisibleTo } from '#tenancy/thread-visibility.ts'

export interface ExplainedThreadRow {
  /** Whether the visibility includes the user; the other columns say why. */
  includes: boolean
  visibility: 'public' | 'organizationPrivate' | 'restricted'
  hasContext: boolean
  isAuthor: boolean
  isNamed: boolean
  /** The organizations whose members see the thread, and those of which the user is a member. */
  organizationIds: string[]
  memberOf: string[]
}

/** Returns what decides whether user `$4` sees thread `$3` on document `$2` of organization `$1`, apart from the access to the document. */
export const EXPLAIN_THREAD = statement<ExplainedThreadRow>(
  'permissions.explain-thread',
  /* sql */ `
  select ${isVisibleTo('t', '$4::text')} as includes, t.visibility, coalesce(t.access_context <> '{}', false) as "hasContext",
         t.author_id = $4::text as "isAuthor", $4::text = any(t.visibility_user_ids) as "isNamed",
         json_texts(t.content -> 'visibility' -> 'organizationIds') as "organizationIds",
         array(select o.id
                 from unnest(t.visibility_organization_keys, json_texts(t.content -> 'visibility' -> 'organizationIds')) as o (key, id)
                where ${isMember('o.key', '$4::text')}
                order by o.id) as "memberOf"
    from resources d
   cross join lateral (
      select t.* from threads t
       where t.organization_key = d.organization_key and t.resource_key = d.resource_key and t.annotation_id = $3::text limit 1
    ) t
   where d.organization_key = $1 and d.kind = 'document' and d.id = $2::text`,
)
