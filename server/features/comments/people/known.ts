/**
 * The people whose profiles a user is shown: nobody learns the name or picture of a stranger by naming the stranger's id
 * (rules/comments.md#people).
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import { holdsOn, isMember } from '#tenancy/grants.ts'

interface NamedPerson {
  organizationKey: OrganizationKey
  resourceKey: string
  userId: string
  readerId: string
}

/**
 * Returns the numbers of the people whom the reader may know: with a live grant of their own on the document, or, if the reader is a
 * member of the organization, on the organization.
 */
export const FIND_KNOWN_PEOPLE = setStatement<NamedPerson, { ord: number }>(
  'threads.find-known-people',
  { organizationKey: 'uuid', resourceKey: 'uuid', userId: 'text', readerId: 'text' },
  /* sql */ `
  select item.ord::int
    from $input
   where ${holdsOn('item.organization_key', { key: 'item.resource_key', kind: 'document' }, 'item.user_id')}
      or ${isMember('item.organization_key', 'item.user_id')} and ${isMember('item.organization_key', 'item.reader_id')}
   order by item.ord`,
)

/** The people whom something on a document names. */
export interface NamedPeople {
  organizationKey: OrganizationKey
  resourceKey: string
  /** The people who acted there themselves. */
  acting: readonly string[]
  /** The people whom somebody else has named. */
  named: readonly string[]
}

/** Returns whose profiles each reader is shown, in the order of the readers. */
export async function knownPeople(
  session: Pick<Session, 'runSet'>,
  readers: readonly { readerId: string; people: readonly NamedPeople[] }[],
): Promise<Set<string>[]> {
  const known = readers.map(({ people }) => new Set(people.flatMap(({ acting }) => acting)))
  const rows = new Map<string, NamedPerson & { nth: number }>()
  for (const [nth, { readerId, people }] of readers.entries())
    for (const { organizationKey, resourceKey, named } of people)
      for (const userId of named)
        if (!known[nth]?.has(userId))
          rows.set(JSON.stringify([nth, resourceKey, userId]), { nth, organizationKey, resourceKey, userId, readerId })
  const asked = [...rows.values()]
  if (asked.length === 0) return known
  const found = await session.runSet(
    FIND_KNOWN_PEOPLE,
    asked.map(({ nth: _, ...row }) => row),
  )
  for (const { ord } of found) {
    const row = asked[ord - 1]
    if (row) known[row.nth]?.add(row.userId)
  }
  return known
}
