/** The name of a user group, linked to its page. */
import { IconUsersGroup } from '@tabler/icons-react'
import { AnchorLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import classes from '../resources/resource-link.module.css'
import { LongName } from '../values/long-name.tsx'

interface UserGroupLinkProps {
  organizationId: string
  groupId: string
  name?: string | undefined
}

export function UserGroupLink({ organizationId, groupId, name }: UserGroupLinkProps) {
  return (
    <AnchorLink
      className={classes.link}
      fz="inherit"
      to="/keys/$apiKey/groups"
      params={{ apiKey: useKey().id }}
      search={{ organizationId, groupId }}
      title={groupId}
    >
      <IconUsersGroup size={16} aria-hidden style={{ flex: 'none' }} />
      <LongName className={classes.text}>{shownName(name, groupId)}</LongName>
    </AnchorLink>
  )
}
