/** The grants of the user and of the user's groups on one resource of the path, and whether they give access. */
import { Group, Text } from '@mantine/core'
import type { AccessRole, Decision, ExplainedResource } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { UserGroupLink } from '../../components/people/user-group-link.tsx'
import { Copy, Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { isExpired } from '../../queries/access/access.ts'
import classes from './evaluation-path.module.css'

type Grant = ExplainedResource['grants'][number]

interface GrantNotesProps {
  organizationId: string
  /** The names of groups by id; absent until they are loaded. */
  groupNames: ReadonlyMap<string, string> | undefined
  grants: readonly Grant[]
  reason: Decision['reason']
  /** The role of the answer if this is the nearest resource with an active grant. */
  role: AccessRole | undefined
}

export function GrantNotes({ organizationId, groupNames, grants, reason, role }: GrantNotesProps) {
  if (grants.length === 0)
    return (
      <Text size="xs" c="dimmed" mt={6}>
        The user has no grant here
      </Text>
    )
  const giver = grants.find(({ live, accessRole }) => live && accessRole === role)
  return grants.map((grant) => (
    <GrantNote
      key={JSON.stringify([grant.groupId, grant.expiresAt === undefined])}
      organizationId={organizationId}
      groupName={groupNames?.get(grant.groupId ?? '')}
      grant={grant}
      reason={reason}
      givesRole={grant === giver}
    />
  ))
}

interface GrantNoteProps {
  organizationId: string
  grant: Grant
  groupName: string | undefined
  reason: Decision['reason']
  givesRole: boolean
}

function GrantNote({ organizationId, grant, groupName, reason, givesRole }: GrantNoteProps) {
  const { accessRole, expiresAt, groupId, live, reaches, source } = grant
  const expired = isExpired(grant)
  const isDisabled = reason === 'disabled' || reason === 'user_disabled'
  const opens = reaches ? (isDisabled ? 'would give access' : 'gives access') : 'does not apply here'
  return (
    <Group gap={6} mt={6} fz="xs" className={live ? undefined : classes.over}>
      {groupId === undefined ? (
        <span>{source === undefined ? 'Grant' : 'Grant of the permission provider'}</span>
      ) : (
        <>
          <span>Grant of user group</span>
          <UserGroupLink organizationId={organizationId} groupId={groupId} name={groupName} />
          {groupName === undefined ? (
            <Copy value={groupId} label={`Copy ${groupId}`} />
          ) : (
            <Text span size="xs" c="dimmed" className={classes.id}>
              <Id>{groupId}</Id>
            </Text>
          )}
        </>
      )}
      <RoleBadge role={accessRole} />
      {expiresAt === undefined ? (
        <span>never expires</span>
      ) : (
        <span>
          {expired ? 'expired' : 'expires'} <Timestamp at={expiresAt * 1000} ahead />
        </span>
      )}
      <strong>{live ? opens : 'ignored'}</strong>
      {!live && !expired && <span>because the user is not a member of the organization</span>}
      {givesRole && <span>and determines the role</span>}
    </Group>
  )
}
