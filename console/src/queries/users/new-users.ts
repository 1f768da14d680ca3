/** Adds users. The calls of the API also change users who exist; a dialog that says “Add” must not. */
import { mutationOptions } from '@tanstack/react-query'
import type { AccessRole, UserRecord } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { shownName } from '../../shown-name.ts'
import { refetchingAll } from '../keys/keys.ts'
import { Refused, throwIfRefused } from '../pages/batch.ts'

interface NewUser {
  userId: string
  profile: Readonly<Record<string, unknown>>
  /** Absent if only the profile is stored. */
  membership?: { organizationId: string; accessRole: AccessRole }
}

/**
 * Stores the profile of a user, and makes the user a member. Refuses the id of a member, whose role would change, and a
 * profile for an id that has one.
 */
export const addUser = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ userId, profile, membership }: NewUser) => {
      if (membership !== undefined) await refuseMember(key, membership.organizationId, userId)
      if (membership === undefined || Object.keys(profile).length > 0)
        await refuseKnown(key, userId, membership !== undefined)
      if (membership === undefined)
        return throwIfRefused(await key.client.profiles.set({ users: [{ userId, ...profile }] }))
      const { organizationId, accessRole } = membership
      return throwIfRefused(await key.client.users.add({ organizationId, users: [{ userId, ...profile, accessRole }] }))
    },
    meta: refetchingAll(key),
  })

async function refuseMember(key: Key, organizationId: string, userId: string): Promise<void> {
  const [member] = (await key.client.users.get({ organizationId, userIds: [userId] })) as UserRecord[]
  if (member === undefined) return
  const { name, accessRole } = member
  throw new Refused(
    `${shownName(name, 'The user with this id')} is a member of the organization already${accessRole === undefined ? '' : `, as ${accessRole}`}. To change the role, open “Who has access” of the organization.`,
    'already-exists',
  )
}

async function refuseKnown(key: Key, userId: string, joins: boolean): Promise<void> {
  const [known] = (await key.client.profiles.list({ userIds: [userId] })).profiles
  if (known === undefined) return
  throw new Refused(
    `${shownName(known.name, 'A user')} has this id and a profile already, which is edited on the page of the user.${joins ? ' To add the user to the organization, leave the other fields empty.' : ''}`,
    'already-exists',
  )
}
