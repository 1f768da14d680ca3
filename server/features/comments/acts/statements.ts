/** The SQL statement that reads the content of webhooks about acts on threads. */

import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement } from '#platform/db/statement.ts'
import { existsSince } from '#tenancy/thread-visibility.ts'
import { PLACES, type StoredThread, threadWith } from '../threads/read-statements.ts'

export interface ActedThreadRow {
  organizationKey: OrganizationKey
  documentId: string
  annotationId: string
  commentId: number | null
}

export interface ActedThread extends StoredThread {
  ord: number
  /** In milliseconds. An act before that is one on a deleted thread that had the same id. */
  existsSince: number
  documentName: string | null
  documentMetadata: Record<string, unknown>
  organizationName: string | null
  organizationMetadata: Record<string, unknown>
}

/**
 * Returns the threads that still exist, found by the id that their document had or has now. Of a thread with more than
 * 512 KiB of comments, it returns the first comment, the named one, and the last ones.
 */
export const READ_ACTED_THREADS = setStatement<ActedThreadRow, ActedThread>(
  'threads.read-acted',
  { organizationKey: 'uuid', documentId: 'text', annotationId: 'text', commentId: 'bigint' },
  /* sql */ `
  select item.ord, (extract(epoch from ${existsSince('t')}) * 1000)::float8 as "existsSince", t.document_name as "documentName", t.document_metadata as "documentMetadata", o.name as "organizationName",
         o.metadata as "organizationMetadata", ${threadWith(/* sql */ `(
               select c.*, c.position = min(c.position) over () as is_root,
                      sum(c.bytes) over (order by c.position desc rows between unbounded preceding and 1 preceding) as bytes_after
                 from thread_comments c
                where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                  and c.annotation_id = t.annotation_id
             ) c
             where c.is_root or c.comment_id = item.comment_id or coalesce(c.bytes_after, 0) < ${LIMITS.webhookThreadBytesMax}`).trim()}
    from $input
   cross join lateral (
      select t.*, r.name as document_name, r.metadata as document_metadata
        from (
          (select r.resource_key, r.name, r.metadata from resources r
            where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1)
          union all
          (select r.resource_key, r.name, r.metadata from document_aliases a
             join resources r on r.organization_key = a.organization_key and r.resource_key = a.resource_key
            where a.organization_key = item.organization_key and a.document_id = item.document_id limit 1)
        ) r
       cross join lateral (
          select t.* from threads t
           where t.organization_key = item.organization_key and t.resource_key = r.resource_key
             and t.annotation_id = item.annotation_id limit 1
       ) t
       limit 1
   ) t
   cross join lateral (
      select o.name, o.metadata from organizations o where o.organization_key = item.organization_key limit 1
   ) o ${PLACES.trim()}`,
)
