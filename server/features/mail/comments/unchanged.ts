/**
 * Finds out, right before mails are sent, whether what they say is still stored: nobody is sent a comment that was
 * changed, deleted or erased since the mail was written, an old name, or a mail that the settings of the key no longer
 * allow (rules/comments.md#mails-about-comments).
 */
import { isDeepStrictEqual } from 'node:util'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Show } from '#features/comments/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import { settingsHash } from '../statements.ts'
import type { Allowed } from './digest.ts'
import { joinPlace, NAMED_COMMENT, type NamedComment, THREAD_HASH } from './digest-statements.ts'

/** A comment as a mail shows it. */
interface ShownRow extends NamedComment {
  hash: string
  threadHash: string
  settingsHash: string
}

/** Returns the places of the comments that have not changed, and neither have their threads and the settings of the key. */
export const FIND_UNCHANGED = setStatement<ShownRow, { index: number }>(
  'comment-mails.find-unchanged',
  { ...NAMED_COMMENT, hash: 'text', threadHash: 'text', settingsHash: 'text' },
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
   ) t${joinPlace('item')}
   where md5(c.content::text) = item.hash and ${THREAD_HASH} = item.thread_hash and ${settingsHash('k')} = item.settings_hash`,
)

interface Mail {
  organizationKey: OrganizationKey
  allowed: readonly Allowed[]
  /** How it shows people. */
  show: Show
  settingsHash: string
}

const rowsOf = ({ organizationKey, allowed, settingsHash }: Mail): ShownRow[] =>
  allowed.flatMap(({ row: { resourceKey, thread, threadHash, comments } }) =>
    comments.map(({ commentId, hash }) => {
      return {
        organizationKey,
        resourceKey,
        annotationId: thread.annotationId,
        commentId,
        hash,
        threadHash,
        settingsHash,
      }
    }),
  )

const keyOf = (row: ShownRow): string => JSON.stringify(Object.values(row))

/** Whether people are shown as in the mail; `show` shows them as they are now. */
const hasSamePeople = (mail: Mail, show: Show | undefined): boolean =>
  mail.allowed.every(({ row }) =>
    row.comments.every(({ from, taggedUserContacts }) =>
      [from, ...taggedUserContacts.map(({ userId, contact }) => ({ ...contact, userId }))].every((person) =>
        isDeepStrictEqual(mail.show(person), show?.(person)),
      ),
    ),
  )

/**
 * Returns the mails of which every shown comment is unchanged; `shows` shows the people of each as they are now. A
 * comment that many mails show is read once.
 */
export async function shownAsStored<Each extends Mail>(
  session: Session,
  mails: readonly Each[],
  shows: readonly Show[],
): Promise<Set<Each>> {
  const shown = new Map(mails.flatMap((mail) => rowsOf(mail).map((row) => [keyOf(row), row])))
  const found = await session.runSet(FIND_UNCHANGED, [...shown.values()])
  const keys = [...shown.keys()]
  const unchanged = new Set(found.map(({ index }) => keys[index]))
  return new Set(
    mails.filter(
      (mail, index) => rowsOf(mail).every((row) => unchanged.has(keyOf(row))) && hasSamePeople(mail, shows[index]),
    ),
  )
}
