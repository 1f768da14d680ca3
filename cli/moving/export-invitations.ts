/** Makes the records of the pending invitations of an organization for an export. */
import type { Client } from '#sdk/client.ts'
import type { Invitation } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import { type Portions, portions } from './pages.ts'
import { type DataRecord, fieldsOf, type OneRecord } from './records.ts'

const PAGE = 1_000

/** Yields the pending invitations in one order, whenever they were added. An organization has few, so they are sorted in memory. */
export async function* invitationRecords(
  client: Client,
  organizationId: string,
  options: CallOptions,
): Portions<DataRecord> {
  const query = { organizationId, isPendingUsersOnly: true, pageSize: PAGE }
  const pending: Invitation[] = []
  for await (const portion of portions(client.invitations.get.pages(query, options), (data) => data))
    pending.push(...portion)
  const sorted = pending.map((one) => ({ one, key: keyOf(one) })).sort((a, b) => (a.key < b.key ? -1 : 1))
  for (let first = 0; first < sorted.length; first += PAGE)
    yield sorted.slice(first, first + PAGE).map(({ one }) => recordOf(one))
}

const keyOf = ({ type, documentId = '', folderId = '', email }: Invitation): string =>
  [type, documentId, folderId, email.toLowerCase()].join('\n')

const NAMES = fieldsOf('invitation')

/** Returns an invitation with the fields that `invitations.add` takes. */
function recordOf(invitation: Invitation): DataRecord {
  const given = Object.entries(invitation).filter(([name]) => NAMES.includes(name))
  return { record: 'invitation', ...Object.fromEntries(given) } as OneRecord<'invitation'>
}
