/** A resource in a list: its name, which links to the explanation of a user's access, and its id, small, to copy. */
import { Text } from '@mantine/core'
import type { ResourceType } from '#sdk/generated/operations.ts'
import { AnchorLink } from '../../links/links.tsx'
import { WHY } from '../../links/paths.ts'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { Id } from '../values/id.tsx'
import { LongName } from '../values/long-name.tsx'
import { ResourceIcon } from './resource-icon.tsx'
import classes from './resource-name.module.css'

interface ResourceNameProps {
  organizationId: string
  userId: string
  resource: { type: ResourceType; id: string }
  name: string | undefined
  /** Something is below the name in the same row. */
  short?: boolean
}

export function ResourceName({ organizationId, userId, resource, name, short = false }: ResourceNameProps) {
  return (
    <span className={classes.resource}>
      <AnchorLink
        size="sm"
        className={classes.name}
        to={WHY}
        params={{ apiKey: useKey().id }}
        search={{ ...searchOf(organizationId, resource), userId }}
        title={`${resource.type} ${resource.id}`}
      >
        <ResourceIcon type={resource.type} labelled />
        <LongName short={short}>{shownName(name, resource.id)}</LongName>
      </AnchorLink>
      {name !== undefined && (
        <Text span size="xs" c="dimmed" className={classes.id}>
          <Id>{resource.id}</Id>
        </Text>
      )}
    </span>
  )
}
