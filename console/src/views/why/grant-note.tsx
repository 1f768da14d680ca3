/** The user's grant on one resource of the path, and whether it gives access. */
import { Group, Text } from '@mantine/core'
import type { Decision, ExplainedResource } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/role-badge.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import classes from './evaluation-path.module.css'

interface GrantNoteProps {
  entry: ExplainedResource
  reason: Decision['reason']
  /** Whether it is the nearest active grant, which determines the role. */
  givesRole: boolean
}

export function GrantNote({ entry: { grant }, reason, givesRole }: GrantNoteProps) {
  if (grant === undefined)
    return (
      <Text size="xs" c="dimmed" mt={6}>
        The user has no grant here
      </Text>
    )
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
