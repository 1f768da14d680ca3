/**
 * Finds out, right before mails are sent, whether what they say is still stored: nobody is sent a comment that was
 * changed, deleted or erased since the mail was written (rules/comments.md#mails-about-comments).
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Allowed } from './digest.ts'
import { NAMED_COMMENT, type NamedComment } from './digest-statements.ts'

/** A comment as a mail shows it. */
interface ShownRow extends NamedComment {
  hash: string
  threadHash: string
}

/** Returns the places of the comments that have not changed, and whose threads have not. */
export const FIND_UNCHANGED = setStatement<ShownRow, { index: number }>(
  'comment-mails.find-unchanged',
  { ...NAMED_COMMENT, hash: 'text', threadHash: 'text' },
  /* sql */ `
  select (item.ord - 1)::int as index
    from $input
   cross join lateral (
      select c.content from thread_comments c
       where c.organization_key = item.organization_key and c.resource_key = item.resource_key
         and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
   ) c
   cross join lateral (
      select t.content from threads t
       where t.organization_key = item.organization_key and t.resource_key = item.resource_key
         and t.annotation_id = item.annotation_id limit 1
   ) t
   where md5(c.content::text) = item.hash and md5(t.content::text) = item.thread_hash`,
)

interface Mail {
  organizationKey: OrganizationKey
  allowed: readonly Allowed[]
}

const rowsOf = ({ organizationKey, allowed }: Mail): ShownRow[] =>
  allowed.flatMap(({ row: { resourceKey, thread, threadHash, comments } }) =>
    comments.map(({ commentId, hash }) => {
      return { organizationKey, resourceKey, annotationId: thread.annotationId, commentId, hash, threadHash }
    }),
  )

const keyOf = (row: ShownRow): string => JSON.stringify(Object.values(row))

/** Returns the mails of which every shown comment is unchanged. A comment that many mails show is read once. */
export async function shownAsStored<Each extends Mail>(session: Session, mails: readonly Each[]): Promise<Set<Each>> {
  const shown = new Map(mails.flatMap((mail) => rowsOf(mail).map((row) => [keyOf(row), row])))
  if (shown.size === 0) return new Set(mails)
  const found = await session.runSet(FIND_UNCHANGED, [...shown.values()])
  const keys = [...shown.keys()]
  const unchanged = new Set(found.map(({ index }) => keys[index]))
  return new Set(mails.filter((mail) => rowsOf(mail).every((row) => unchanged.has(keyOf(row)))))
}
