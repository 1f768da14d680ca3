/** Adds or updates user groups and their members. */
import type { Client } from '#sdk/client.ts'
import { alreadyExists, batchesOf, failedOf, type ItemOf, type Options, organizationOf } from './batches.ts'

export function userGroupBatches(client: Client, items: readonly ItemOf<'userGroup'>[], options: Options) {
  const idOf = ({ record }: ItemOf<'userGroup'>) => record.groupId
  return [...Map.groupBy(items, organizationOf)].flatMap(([organizationId, groups]) =>
    batchesOf(groups, async (portion) => {
      const added = portion.map(({ record: { groupId, groupName } }) => ({
        groupId,
        ...(groupName === undefined ? {} : { groupName }),
      }))
      const outcomes = await client.userGroups.add({ organizationId, organizationUserGroups: added }, options)
      const failed = failedOf(portion, outcomes, idOf)
      const existing = failed.filter(alreadyExists).map(({ item }) => item)
      const others = failed.filter((one) => !alreadyExists(one))
      if (existing.length === 0) return others
      const renamed = existing.map(({ record: { groupId, groupName = null } }) => ({ groupId, groupName }))
      const updated = await client.userGroups.update({ organizationId, organizationUserGroups: renamed }, options)
      return [...others, ...failedOf(existing, updated, idOf)]
    }),
  )
}

export function userGroupUserBatches(client: Client, items: readonly ItemOf<'userGroupUser'>[], options: Options) {
  const groups = Map.groupBy(items, ({ record }) => JSON.stringify([record.organizationId, record.groupId]))
  return [...groups.values()].flatMap((group) =>
    batchesOf(group, async (portion) => {
      const { organizationId = '', groupId = '' } = portion[0]?.record ?? {}
      const userIds = portion.map(({ record }) => record.userId)
      const group = { organizationId, organizationUserGroupId: groupId }
      const outcomes = await client.userGroupUsers.add({ ...group, userIds }, options)
      return failedOf(portion, outcomes, ({ record }) => record.userId)
    }),
  )
}
