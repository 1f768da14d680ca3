/** Makes the records of user groups for an export, each before its first grant and its members. */
import type { Client } from '#sdk/client.ts'
import type { UserGroupRecord } from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { CallOptions } from '#sdk/options.ts'
import { chunks } from '#sdk/shared/chunks.ts'
import type { DataRecord } from '../files/records.ts'
import { type Portions, portions, prefetch } from './pages.ts'

/** Returns the group that holds a grant, if one does. */
const groupOf = (record: DataRecord): string[] =>
  record.record === 'grant' && record.groupId !== undefined ? [record.groupId] : []

/** Starts reading the groups of an organization; one object makes the records of one organization. */
export function exportUserGroups(client: Client, organizationId: string, options: CallOptions) {
  const read = (organizationUserGroupIds?: string[]) =>
    portions(client.userGroups.get.pages({ organizationId, organizationUserGroupIds }, options), (data) =>
      data.filter(isFound),
    )
  const list = prefetch(read())
  const exported = new Set<string>()

  async function* recordsOf(source: Portions<UserGroupRecord>): Portions<DataRecord> {
    for await (const portion of source) {
      for (const { groupId } of portion) exported.add(groupId)
      yield portion.map((group) => ({ record: 'userGroup', organizationId, ...group }))
    }
  }

  async function* members(groupId: string): Portions<DataRecord> {
    const query = { organizationId, organizationUserGroupIds: [groupId] }
    const users = portions(client.users.get.pages(query, options), (data) => data)
    for await (const portion of prefetch(users))
      yield portion.map(({ userId }) => ({ record: 'userGroupUser', organizationId, groupId, userId }))
  }

  return {
    groups: (): Portions<DataRecord> => recordsOf(list),

    /**
     * Yields grants. A group can be created after the list of groups was read, and its grants before theirs was: its record comes
     * first. The grants of a group that was deleted meanwhile are omitted, as they were deleted with it.
     */
    async *withGroups(grants: Portions<DataRecord>): Portions<DataRecord> {
      for await (const portion of grants) {
        const missing = new Set(portion.flatMap(groupOf)).difference(exported)
        for (const ids of chunks([...missing])) yield* recordsOf(read(ids))
        yield portion.filter((grant) => groupOf(grant).every((groupId) => exported.has(groupId)))
      }
    },

    async *members(): Portions<DataRecord> {
      for (const groupId of exported) yield* members(groupId)
    },
  }
}
