/** Makes the records of the grants and of the pending invitations of an organization for an export. */

import { foldedAddress } from '#contract/core/addresses.ts'
import type { Client } from '#sdk/client.ts'
import type { Invitation, ListGrantsResult } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import { type DataRecord, fieldsOf, type OneRecord } from '../files/records.ts'
import { type Portions, portions } from './pages.ts'

type Grant = ListGrantsResult['grants'][number]

/** Names the principal and the resource of a grant. */
const placeOf = ({ userId, groupId, type, id }: Grant): string => JSON.stringify([userId, groupId, type, id])

/**
 * Yields grants. A grant without one of the other kind beside it replaces the other kind when it is imported, so that the
 * result of an import equals the file, in any order. The list has the two grants of a user or group on a resource next to each
 * other. Grants by a permission provider are omitted: the target asks its provider again.
 */
export async function* grantRecords(organizationId: string, grants: Portions<Grant>): Portions<DataRecord> {
  const recordOf = ({ userId, groupId, type, id, ...grant }: Grant, isAlone: boolean): DataRecord => ({
    record: 'grant',
    ...(groupId === undefined ? { userId } : { groupId }),
    type,
    id,
    ...(type === 'organization' ? {} : { organizationId }),
    ...grant,
    ...(isAlone ? { replaceExisting: true } : {}),
  })
  let last: Grant | undefined
  for await (const portion of grants) {
    const records: DataRecord[] = []
    for (const grant of portion) {
      if (grant.source !== undefined) continue
      const isBeside = last !== undefined && placeOf(last) === placeOf(grant)
      if (last !== undefined) records.push(recordOf(last, !isBeside))
      if (isBeside) records.push(recordOf(grant, false))
      last = isBeside ? undefined : grant
    }
    yield records
  }
  if (last !== undefined) yield [recordOf(last, true)]
}

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
  [type, documentId, folderId, foldedAddress(email)].join('\n')

const NAMES = fieldsOf('invitation')

/** Returns an invitation with the fields that `invitations.add` takes. */
function recordOf(invitation: Invitation): DataRecord {
  const given = Object.entries(invitation).filter(([name]) => NAMES.includes(name))
  return { record: 'invitation', ...Object.fromEntries(given) } as OneRecord<'invitation'>
}
