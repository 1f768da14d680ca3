/**
 * The SQL statements of the search for threads by the words of their comments (ADR 0061). A trigger keeps the words of
 * each comment (migration 0033). A page reads comments in the order of their keys, or by the index of words if few
 * comments have all words; both return the same threads in the same order.
 */
import type { AccessRole, AccessType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { decided } from '#features/permissions/shared.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { isVisibleTo } from '#tenancy/thread-visibility.ts'

/**
 * Returns a query in the form in which it is compared: folded, and its words as conditions of a `tsquery`. One or two
 * characters must be a whole word, because too many words begin with them; longer ones may begin a word.
 */
export const FOLD_WORDS = statement<{ folded: string; words: string[] }>(
  'search.fold-words',
  /* sql */ `
  select search_fold($2::text) as folded,
         array(select '''' || token || case when length(token) < 9 then '''' else ''':*' end
                 from unnest(tsvector_to_array(search_tokens($1, $2))) as token) as words`,
)

/** A comment, by its key: the first of its thread that matches. */
export interface CommentRow {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  commentId: string
}

/** A comment of a scan. The last one that it may examine is always included, and says whether it matches. */
export type ScannedCommentRow = CommentRow & { matches: boolean; isScanEnd: boolean }

/** How many comments the index finds, up to one more than the limit, and a thread of the page, if there is any. */
export type FoundCommentRow = { found: number } & (CommentRow | { organizationKey: null })

const COMMENT = /* sql */ `e.organization_key as "organizationKey", e.resource_key as "resourceKey", e.annotation_id as "annotationId",
         e.comment_id::text as "commentId"`

const KEY = 'organization_key, resource_key, annotation_id, comment_id'

/** After the comment that `$2` to `$5` name. */
const FOLLOWING = `(${KEY}) > ($2::uuid, $3::uuid, $4::text, $5::bigint)`

/** A pattern that the folded text must also match, because the words do not imply it. */
const HAS_PARTS = /* sql */ `(cardinality($7::text[]) = 0 or search_fold_all(comment_text(content)) like all ($7::text[]))`

type ScopeOf = (organization: string) => string

const inDataSet: ScopeOf = () => 'api_key_id = $1'
const inOrganization: ScopeOf = (organization) => `api_key_id = $1 and organization_key = ${organization}::uuid`

/** Returns a statement that scans at most `$9` comments in the order of their keys, and lists at most `$8` threads that match. */
const scan = (name: string, scope: ScopeOf) =>
  statement<ScannedCommentRow>(
    name,
    /* sql */ `
  select ${COMMENT}, e.matches and e.is_first as matches, e.nth = $9 as "isScanEnd"
    from (select e.*, row_number() over (order by ${KEY}) as nth,
                 row_number() over (partition by organization_key, resource_key, annotation_id, matches order by comment_id) = 1 as is_first
            from (select ${KEY}, words @@ array_to_string($6::text[], ' & ')::tsquery and ${HAS_PARTS} as matches
                    from (select * from thread_comments where ${scope('$10')} and ${FOLLOWING} order by ${KEY} limit $9::int) c) e) e
   where e.matches and e.is_first or e.nth = $9
   order by e.nth limit $8::int`,
  )

/** Comments that say which words are rare. */
const SAMPLED_COMMENTS = 200

/** A word that more of the sample have leaves too many comments to be worth the time that it costs in the index. */
const FREQUENT_IN_SAMPLE = SAMPLED_COMMENTS / 4

/**
 * Returns a statement that lists the same threads as the scan, from the comments that have the rare words. If there are more than `$9`
 * of these, it lists none. The words name the API key; with a condition on its column, the planner could read the other index.
 */
const lookUp = (name: string, scope: ScopeOf) =>
  statement<FoundCommentRow>(
    name,
    /* sql */ `
  with sample as materialized (
    select words from thread_comments where ${scope('$10')} and cardinality($6::text[]) > 1 order by ${KEY} limit ${SAMPLED_COMMENTS}
  ),
  word as materialized (
    select w.query, n.sampled, row_number() over (order by n.sampled, length(w.query) desc) as nth
      from unnest($6::text[]) as w(query)
     cross join lateral (select count(*) as sampled from sample s where s.words @@ w.query::tsquery) n
  ),
  with_words as materialized (
    select c.* from thread_comments c
     where c.words @@ (select string_agg(query, ' & ')::tsquery from word where nth = 1 or sampled < ${FREQUENT_IN_SAMPLE})
  ),
  found as materialized (select * from with_words limit $9::int + 1)
  select n.found, d.*
    from (select count(*)::int as found from found) n
    left join lateral (
      select distinct on (e.organization_key, e.resource_key, e.annotation_id) ${COMMENT}
        from found e
       where n.found <= $9 and ${scope('$10')} and ${FOLLOWING} and ${HAS_PARTS}
         and e.words @@ array_to_string($6::text[], ' & ')::tsquery
       order by e.organization_key, e.resource_key, e.annotation_id, e.comment_id limit $8::int
    ) d on true
   order by d."organizationKey", d."resourceKey", d."annotationId"`,
  )

export const SCAN_COMMENTS = scan('search.scan-comments', inDataSet)
export const SCAN_COMMENTS_OF_ORGANIZATION = scan('search.scan-comments-of-organization', inOrganization)
export const LOOK_UP_COMMENTS = lookUp('search.look-up-comments', inDataSet)
export const LOOK_UP_COMMENTS_OF_ORGANIZATION = lookUp('search.look-up-comments-of-organization', inOrganization)

export interface ThreadOfReader {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  userId: string
  defaultAccessType: AccessType
  defaultAccessRole: AccessRole
}

/** Returns the numbers of the threads that the user sees: the document is open to them, and the visibility includes them. */
export const FIND_SEEN = setStatement<ThreadOfReader, { index: number }>(
  'search.find-seen',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    annotationId: 'text',
    userId: 'text',
    defaultAccessType: 'access_type',
    defaultAccessRole: 'access_role',
  },
  /* sql */ `
  with question as materialized (
    select item.organization_key, 'document'::resource_kind as kind, d.id as resource_id, item.user_id,
           item.default_access_type, item.default_access_role, null::access_role as at_least, item.resource_key as of_document,
           item.annotation_id, item.ord as asked
      from $input
     cross join lateral (
        select d.id from resources d where d.organization_key = item.organization_key and d.resource_key = item.resource_key limit 1
      ) d
  ),
  ${decided('question item').trim()}
  select (d.asked - 1)::int as index
    from decided d
   cross join lateral (
      select t.* from threads t
       where t.organization_key = d.organization_key and t.resource_key = d.of_document and t.annotation_id = d.annotation_id limit 1
    ) t
   where d.allowed and ${isVisibleTo('t', 'd.user_id').trim()}
   order by d.asked`,
)

export interface DescribedThread {
  annotationId: string
  commentId: number
  text: string
  pageInfo: { url?: string; commentUrl?: string } | null
  organizationId: string
  organizationName: string | null
  documentId: string
  documentName: string | null
  folderId: string | null
  folderName: string | null
}

/** Describes threads by one of their comments, in their order, without those that were deleted since. */
export const DESCRIBE_THREADS = setStatement<CommentRow, DescribedThread>(
  'search.describe-threads',
  { organizationKey: 'uuid', resourceKey: 'uuid', annotationId: 'text', commentId: 'bigint' },
  /* sql */ `
  select item.annotation_id as "annotationId", item.comment_id::float8 as "commentId", comment_text(c.content) as text,
         t.content -> 'pageInfo' as "pageInfo", o.organization_id as "organizationId", o.name as "organizationName",
         d.id as "documentId", d.name as "documentName", f.id as "folderId", f.name as "folderName"
    from $input
   cross join lateral (
      select c.content from thread_comments c
       where c.organization_key = item.organization_key and c.resource_key = item.resource_key
         and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
    ) c
   cross join lateral (
      select t.content from threads t
       where t.organization_key = item.organization_key and t.resource_key = item.resource_key and t.annotation_id = item.annotation_id limit 1
    ) t
   cross join lateral (
      select o.organization_id, o.name from organizations o where o.organization_key = item.organization_key limit 1
    ) o
   cross join lateral (
      select d.id, d.name, d.folder_key from resources d
       where d.organization_key = item.organization_key and d.resource_key = item.resource_key limit 1
    ) d
    left join lateral (
      select f.id, f.name from resources f where f.organization_key = item.organization_key and f.resource_key = d.folder_key limit 1
    ) f on true
   order by item.ord`,
)
