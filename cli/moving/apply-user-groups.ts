/** User groups and who is in them. */
import type { Client } from '#sdk/client.ts'
import { callsOf, failedOf } from './calls.ts'
import { type ItemOf, isThere, type Options, organizationOf } from './sending.ts'

export function userGroupCalls(client: Client, items: readonly ItemOf<'userGroup'>[], options: Options) {
  const idOf = ({ record }: ItemOf<'userGroup'>) => record.groupId
  return [...Map.groupBy(items, organizationOf)].flatMap(([organizationId, groups]) =>
    callsOf(groups, async (portion) => {
      const added = portion.map(({ record: { groupId, groupName } }) => ({
        groupId,
        ...(groupName === undefined ? {} : { groupName }),
      }))
      const outcomes = await client.userGroups.add({ organizationId, organizationUserGroups: added }, options)
      const failed = failedOf(portion, outcomes, idOf)
      const there = failed.filter(isThere).map(({ item }) => item)
      const others = failed.filter((one) => !isThere(one))
      if (there.length === 0) return others
      const named = there.map(({ record: { groupId, groupName = null } }) => ({ groupId, groupName }))
      const updated = await client.userGroups.update({ organizationId, organizationUserGroups: named }, options)
      return [...others, ...failedOf(there, updated, idOf)]
    }),
  )
}

export function userGroupUserCalls(client: Client, items: readonly ItemOf<'userGroupUser'>[], options: Options) {
  const groups = Map.groupBy(items, ({ record }) => JSON.stringify([record.organizationId, record.groupId]))
  return [...groups.values()].flatMap((group) =>
    callsOf(group, async (portion) => {
      const { organizationId = '', groupId = '' } = portion[0]?.record ?? {}
      const userIds = portion.map(({ record }) => record.userId)
      const group = { organizationId, organizationUserGroupId: groupId }
      const outcomes = await client.userGroupUsers.add({ ...group, userIds }, options)
      return failedOf(portion, outcomes, ({ record }) => record.userId)
    }),
  )
}
