/** Reads the facts of a mail about events: what has happened, where, and to whom. */
import type { MailKind } from '#contract/keys/service-configs.ts'
import type { Db } from '#platform/db/db.ts'
import { undeliverable } from './carriers/message.ts'
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

/** Refuses the mail if nothing is left of what it reports. */
export async function factsOf(db: Pick<Db, 'run'>, mail: MailRow, kind: MailKind): Promise<Facts> {
  const { apiKeyId, apiKeyName, userId, stream, sequences, config } = mail
  const found = await db.run(GET_REPORTED_EVENTS, [stream, sequences, userId, ITEMS_MAX])
  const events = withoutRepeats(found)
  const [first] = events
  if (first === undefined) throw undeliverable('The events that it reports no longer exist, or the user is disabled.')
  const [user] = userId === null ? [] : await db.run(GET_USER_NAME, [apiKeyId, userId])
  const organizationId = line(first.organizationId ?? '')
  return {
    kind,
    apiKeyName: line(apiKeyName),
    company: line(config.fromCompany ?? ''),
    userName: line(user?.name ?? ''),
    organization: { id: organizationId, name: firstSeen(first.organizationName ?? '', organizationId) },
    items: events.map(itemOf),
    more: Math.max(0, sequences.length - found.length),
  }
}
