/** Makes the records of grants for an export. */
import type { ListGrantsResult } from '#sdk/generated/operations.ts'
import type { Portions } from './pages.ts'
import type { DataRecord } from './records.ts'

type Grant = ListGrantsResult['grants'][number]

/** Names the principal and the resource of a grant. */
const placeOf = ({ userId, groupId, type, id }: Grant): string => JSON.stringify([userId, groupId, type, id])

/**
 * Yields grants. One without a grant of the other kind beside it replaces that where it is imported, so that an import leaves what the
 * file says, in whatever order. The list has the two grants of a user or group on a resource next to each other. What a permission
 * provider gave is left out: it is asked again where the file is imported.
 */
export async function* grantRecords(organizationId: string, portions: Portions<Grant>): Portions<DataRecord> {
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
  for await (const portion of portions) {
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
