/** Reads the facts of a mail about events: what has happened, where, and to whom. */
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { MailKind } from '#contract/keys/service-configs.ts'
import { decideResources } from '#features/permissions/shared.ts'
import type { Db } from '#platform/db/db.ts'
import { undeliverable } from './carriers/message.ts'
import { Changed } from './comments/digests.ts'
import { type Facts, ITEMS_MAX, itemOf } from './content.ts'
import { GET_REPORTED_EVENTS, GET_USER_NAME, type ReportedEvent } from './content-statements.ts'
import type { MailRow } from './statements.ts'
import { firstSeen, line } from './text.ts'

/** Returns the events in their order. Of several events of one invitation, which may have been renewed, only the last is returned. */
const withoutRepeats = (events: readonly ReportedEvent[]): ReportedEvent[] =>
  events.filter(
    ({ invitationId }, index) =>
      invitationId === null || events.findLastIndex((other) => other.invitationId === invitationId) === index,
  )

/** A mail looks at no more events: it counts the others. */
const EVENTS_MAX = 1_000

const ABOUT_ACCESS: ReadonlySet<MailKind> = new Set(['permission.added', 'permission.expiring'])

/**
 * Returns the events about what is open to the user now: names of other resources are not for the user. The decision
 * comes after the names were read.
 */
async function openTo(
  db: Pick<Db, 'runSet'>,
  { apiKeyId, userId }: Pick<MailRow, 'apiKeyId' | 'userId'>,
  events: readonly ReportedEvent[],
): Promise<ReportedEvent[]> {
  const [first] = events
  if (first === undefined || userId === null) return []
  const { defaultAccessType, defaultAccessRole } = first
  const caller = { apiKeyId: apiKeyId as ApiKeyId, defaultAccessType, defaultAccessRole }
  const pairs = events.map(({ resourceType: type, resourceId: id, organizationId }) => ({
    userId,
    resource: { type: type ?? 'organization', id: id ?? '', organizationId: organizationId ?? '' },
  }))
  const decisions = await decideResources(db, caller, pairs)
  // The user may have access to it under the id that it has had since the names were read.
  if (decisions.some(({ migratedTo }) => migratedTo !== null)) throw new Changed('a document was migrated')
  return events.filter((_, index) => decisions[index]?.allowed)
}

/** Refuses the mail if nothing is left of what it reports. */
export async function factsOf(db: Pick<Db, 'run' | 'runSet'>, mail: MailRow, kind: MailKind): Promise<Facts> {
  const { apiKeyId, apiKeyName, userId, stream, sequences, config } = mail
  const found = withoutRepeats(await db.run(GET_REPORTED_EVENTS, [stream, sequences, userId, EVENTS_MAX]))
  const events = ABOUT_ACCESS.has(kind) ? await openTo(db, mail, found) : found
  const [first] = events
  if (first === undefined)
    throw undeliverable('What it reports is no longer so, or the user is disabled or has lost the access.')
  const [user] = userId === null ? [] : await db.run(GET_USER_NAME, [apiKeyId, userId])
  const organizationId = line(first.organizationId ?? '')
  return {
    kind,
    apiKeyName: line(apiKeyName),
    company: line(config.fromCompany ?? ''),
    userName: line(user?.name ?? ''),
    organization: { id: organizationId, name: firstSeen(first.organizationName ?? '', organizationId) },
    items: events.slice(0, ITEMS_MAX).map(itemOf),
    more: Math.max(0, events.length - ITEMS_MAX) + Math.max(0, sequences.length - EVENTS_MAX),
  }
}
