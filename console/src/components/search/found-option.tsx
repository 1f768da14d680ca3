/** A result of a search on one line: its name, its id, and where it is. */
import { Badge } from '@mantine/core'
import { IconBuilding, IconFileText, IconFolder, IconMessages, IconUser, IconUsersGroup } from '@tabler/icons-react'
import type { Found } from '../../queries/search.ts'
import { shownName } from '../../shown-name.ts'
import { Id } from '../values/id.tsx'
import classes from './found-option.module.css'

const ICONS = {
  organization: IconBuilding,
  user: IconUser,
  userGroup: IconUsersGroup,
  folder: IconFolder,
  document: IconFileText,
  thread: IconMessages,
}
export const KIND_WORDS = {
  organization: 'Organization',
  user: 'User',
  userGroup: 'User group',
  folder: 'Folder',
  document: 'Document',
  thread: 'Thread',
} as const

interface FoundOptionProps {
  found: Found
  /** False where everything is in one organization. */
  withOrganization?: boolean
}

export function FoundOption({ found, withOrganization = true }: FoundOptionProps) {
  const { kind, id, name, text, email, disabled, declared, organizationId, organizationName, folderId, folderName } =
    found
  const { documentId, documentName } = found
  const Icon = ICONS[kind]
  const places = [
    withOrganization && organizationId && shownName(organizationName, organizationId),
    folderId && shownName(folderName, folderId),
    documentId && shownName(documentName, documentId),
    email,
  ]
  return (
    <span className={classes.option}>
      <Icon size={16} role="img" aria-label={KIND_WORDS[kind]} className={classes.icon} />
      {(text !== undefined || shownName(name, id) !== id) && <bdi className={classes.name}>{text ?? name}</bdi>}
      {text === undefined && (
        <span className={classes.id}>
          <Id copy={false}>{id}</Id>
        </span>
      )}
      {places.map((place) =>
        place ? (
          <bdi key={place} className={classes.place}>
            {place}
          </bdi>
        ) : null,
      )}
      {disabled && (
        <Badge tt="none" size="sm" variant="default">
          disabled
        </Badge>
      )}
      {declared && (
        <Badge
          tt="none"
          size="sm"
          variant="default"
          title="Only grants have named it, and they count. Deleting it by its id ends them; adding it keeps them."
        >
          not added
        </Badge>
      )}
    </span>
  )
}
