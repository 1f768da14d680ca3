/** The user's grant on one resource of a chain, and whether it opens what was asked about. */
import { Group, Text } from '@mantine/core'
import type { Decision, ExplainedResource } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/role-badge.tsx'
import { When } from '../../components/when.tsx'
import classes from './chain-picture.module.css'

interface GrantNoteProps {
  entry: ExplainedResource
  reason: Decision['reason']
  /** It is the nearest live one: the role is its role. */
  givesRole: boolean
}

export function GrantNote({ entry: { grant }, reason, givesRole }: GrantNoteProps) {
  if (grant === undefined)
    return (
      <Text size="xs" c="dimmed" mt={6}>
        No grant of the user here
      </Text>
    )
  const { accessRole, expiresAt, live, reaches } = grant
  const opens = reaches ? (reason === 'disabled' ? 'would open it' : 'opens it') : 'does not reach'
  return (
    <Group gap={6} mt={6} fz="xs" className={live ? undefined : classes.over}>
      <span>Grant</span>
      <RoleBadge role={accessRole} />
      {expiresAt === undefined ? (
        <span>without an end</span>
      ) : (
        <span>
          {live ? 'ends' : 'expired'} <When at={expiresAt * 1000} />
        </span>
      )}
      <strong>{live ? opens : 'over: as if it were not there'}</strong>
      {givesRole && <span>and gives the role</span>}
    </Group>
  )
}
