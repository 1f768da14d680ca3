/** The name of an organization, folder or document, linked to its access page. */
import type { ResourceType } from '#sdk/generated/operations.ts'
import { AnchorLink } from '../../links/links.tsx'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import longName from '../values/long-name.module.css'
import { LongName } from '../values/long-name.tsx'
import { ResourceIcon } from './resource-icon.tsx'
import classes from './resource-link.module.css'

interface ResourceLinkProps {
  organizationId: string
  resource: { type: ResourceType; id: string; name?: string }
  /** Something is below the name in the same row. */
  short?: boolean
}

export function ResourceLink({ organizationId, resource, short = false }: ResourceLinkProps) {
  const { type, id, name } = resource
  return (
    <AnchorLink
      className={classes.link}
      size="sm"
      to="/keys/$apiKey/access"
      params={{ apiKey: useKey().id }}
      search={searchOf(organizationId, resource)}
      title={id}
    >
      <ResourceIcon type={type} />
      <LongName className={`${longName.name} ${classes.text}`} short={short}>
        {shownName(name, id)}
      </LongName>
    </AnchorLink>
  )
}
