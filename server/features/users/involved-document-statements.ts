/** The SQL statement that lists the documents of users. */

import type { AccessRole } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { statement } from '#platform/db/statement.ts'
import { expiryOf, isLive, liveRole } from '#tenancy/grants.ts'

export interface InvolvedDocumentRow {
  userId: string
  documentId: string
  documentName: string | null
  accessRole: AccessRole
  /** Null: until the grant is changed. */
  expiresAt: Date | null
}

/** Lists the documents on which the users `$2` have a live grant, in id order; of each user one more than a response shows. */
export const LIST_INVOLVED_DOCUMENTS = statement<InvolvedDocumentRow>(
  'document-users.list-involved',
  /* sql */ `
  select n.user_id as "userId", r.id as "documentId", r.name as "documentName", ${liveRole('g')} as "accessRole",
         ${expiryOf('g', liveRole('g'))} as "expiresAt"
    from (select user_id collate "C" as user_id from unnest($2::text[]) as n(user_id)) n
   cross join lateral (
      select * from grants g
       where g.organization_key = $1 and g.principal = n.user_id and g.kind = 'document' and ${isLive('g')}
       order by g.resource_key limit ${LIMITS.involvedDocumentsMax + 1}
    ) g
   cross join lateral (
      select r.id, r.name from resources r where r.organization_key = $1 and r.resource_key = g.resource_key limit 1
    ) r
   order by n.user_id, r.id`,
)
