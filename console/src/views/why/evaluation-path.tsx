/**
 * The evaluation path, from the organization to the resource: access types, the boundary, the user's grants, and the
 * rule that decided. It is a list, so screen readers read it in this order.
 */
import { Badge, Group, Text } from '@mantine/core'
import { IconArrowRight, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ExplainedResource, Explanation } from '#sdk/generated/operations.ts'
import { ACCESS_TYPES } from '../../access-types.ts'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { Person } from '../../components/people/person.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { Id } from '../../components/values/id.tsx'
import { EnabledBadge } from '../../components/values/state-badge.tsx'
import { groupNamesQuery } from '../../queries/users/groups.ts'
import { givingResource, isSame } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import classes from './evaluation-path.module.css'
import { GrantNotes } from './grant-note.tsx'
import { groupIdsOf } from './named-things.ts'

interface EvaluationPathProps {
  organizationId: string
  explanation: Explanation
  userId: string
  /** Undefined for a user without a name. */
  userName: string | undefined
}

export function EvaluationPath({ organizationId, explanation, userId, userName }: EvaluationPathProps) {
  const { chain, decision, userDisabled } = explanation
  const boundaryAt = chain.findIndex(({ boundary }) => boundary)
  const nearestLive = chain.find(({ grants }) => grants.some(({ live }) => live))
  const giving = givingResource(decision.via)
  const isByDefault = decision.via?.type === 'keyDefault'
  const decides =
    decision.reason === 'disabled'
      ? chain.findLast(({ disabled }) => disabled)
      : chain.find((entry) => (giving === undefined ? isByDefault && entry.boundary : isSame(entry, giving)))
  const { data: groupNames } = useQuery(groupNamesQuery(useKey(), organizationId, groupIdsOf(chain)))
  const steps = chain.map((entry, index) => ({ entry, isInside: index <= boundaryAt })).reverse()
  return (
    <ol className={classes.chain} aria-label="From the organization to the resource">
      {steps.map(({ entry, isInside }) => (
        <li key={`${entry.type} ${entry.id}`} className={classes.step} data-inside={isInside || undefined}>
          {entry.boundary && entry.type !== 'organization' && (
            <Text size="xs" className={classes.boundary}>
              Boundary: from here on, the access type is{' '}
              {ACCESS_TYPES[entry.accessType ?? 'restricted'].label.toLowerCase()}. Grants above this line do not apply
              below it
              {entry.accessType === 'organizationPrivate' && ', except those on the organization'}
              {entry.accessType === 'public' && ', and no grant is needed'}.
            </Text>
          )}
          <div className={classes.box} data-decides={entry === decides || undefined}>
            <Group justify="space-between" gap="xs">
              <div className={classes.name}>
                <ResourceLink organizationId={organizationId} resource={entry} />
                <Text span size="xs" c="dimmed" className={classes.id}>
                  {entry.type} <Id>{entry.id}</Id>
                </Text>
              </div>
              <Marks entry={entry} decides={entry === decides} isAsked={entry === chain[0]} />
            </Group>
            <GrantNotes
              organizationId={organizationId}
              grants={entry.grants}
              groupNames={groupNames}
              reason={decision.reason}
              role={entry === nearestLive ? decision.accessRole : undefined}
            />
          </div>
        </li>
      ))}
      <li className={classes.step} data-inside>
        <div className={classes.box} data-result data-decides={decision.reason === 'user_disabled' || undefined}>
          <Group gap="xs">
            <IconUser size={16} aria-hidden />
            <Person userId={userId} name={userName} />
            {userDisabled && <EnabledBadge disabled />}
            <IconArrowRight size={16} aria-label="has the role" />
            <RoleBadge
              role={decision.allowed ? decision.accessRole : undefined}
              {...(decision.expiresAt !== undefined && { expiresAt: decision.expiresAt * 1000 })}
            />
          </Group>
        </div>
      </li>
    </ol>
  )
}

interface MarksProps {
  entry: ExplainedResource
  decides: boolean
  isAsked: boolean
}

function Marks({ entry, decides, isAsked }: MarksProps) {
  const { accessType, defaultAccessType, defaultAccessRole, disabled, type } = entry
  return (
    <Group gap={6}>
      {decides && (
        <Badge tt="none" className={classes.decides}>
          decides
        </Badge>
      )}
      {disabled && (
        <Badge tt="none" variant="default">
          disabled
        </Badge>
      )}
      {isAsked && (
        <Badge tt="none" variant="default">
          checked resource
        </Badge>
      )}
      <Text span size="xs" c={accessType === undefined ? 'dimmed' : undefined} fw={accessType && 600}>
        {accessType !== undefined
          ? `own access type: ${ACCESS_TYPES[accessType].label.toLowerCase()}`
          : defaultAccessType !== undefined
            ? `default of the API key: ${ACCESS_TYPES[defaultAccessType].label.toLowerCase()}`
            : type === 'organization'
              ? 'no access type'
              : 'inherits its access type'}
        {defaultAccessRole !== undefined && `, users without a grant are ${defaultAccessRole}s`}
      </Text>
    </Group>
  )
}
