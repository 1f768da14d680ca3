/** The user's grants on one resource of the path, and whether they give access. */
import { Group, Text } from '@mantine/core'
import type { AccessRole, Decision, ExplainedResource } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/role-badge.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import classes from './evaluation-path.module.css'

type Grant = ExplainedResource['grants'][number]

interface GrantNotesProps {
  grants: readonly Grant[]
  reason: Decision['reason']
  /** The role of the answer if this is the nearest resource with an active grant. */
  role: AccessRole | undefined
}

export function GrantNotes({ grants, reason, role }: GrantNotesProps) {
  if (grants.length === 0)
    return (
      <Text size="xs" c="dimmed" mt={6}>
        The user has no grant here
      </Text>
    )
  const giver = grants.find(({ live, accessRole }) => live && accessRole === role)
  return grants.map((grant) => (
    <GrantNote
      key={grant.expiresAt === undefined ? 'standing' : 'temporary'}
      grant={grant}
      reason={reason}
      givesRole={grant === giver}
    />
  ))
}

function GrantNote({ grant, reason, givesRole }: { grant: Grant; reason: Decision['reason']; givesRole: boolean }) {
  const { accessRole, expiresAt, live, reaches } = grant
  const opens = reaches ? (reason === 'disabled' ? 'would give access' : 'gives access') : 'does not apply here'
  return (
    <Group gap={6} mt={6} fz="xs" className={live ? undefined : classes.over}>
      <span>Grant</span>
      <RoleBadge role={accessRole} />
      {expiresAt === undefined ? (
        <span>never expires</span>
      ) : (
        <span>
          {live ? 'expires' : 'expired'} <Timestamp at={expiresAt * 1000} />
        </span>
      )}
      <strong>{live ? opens : 'ignored'}</strong>
      {givesRole && <span>and determines the role</span>}
    </Group>
  )
}
