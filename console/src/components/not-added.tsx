/** A folder or document that grants name and nobody has added: its id may be misspelt, and the real one stays closed. */
import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ResourceType } from '#sdk/generated/operations.ts'
import { documentQuery } from '../queries/documents.ts'
import { folderQuery } from '../queries/folders.ts'
import { useKey } from '../session/use-session.ts'

interface NotAddedProps {
  organizationId: string
  /** It is known, at least from a grant. */
  resource: { type: ResourceType; id: string }
}

export function NotAdded({ organizationId, resource: { type, id } }: NotAddedProps) {
  const key = useKey()
  const folder = useQuery({ ...folderQuery(key, organizationId, id), enabled: type === 'folder' })
  const document = useQuery({ ...documentQuery(key, organizationId, id), enabled: type === 'document' })
  if (folder.data !== null && document.data !== null) return null
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title={`Nobody has added this ${type}`}
      c="var(--mantine-color-text)"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      It is known from grants alone. Its id may be misspelt: the {type} that is meant has another one, and stays closed.
    </Alert>
  )
}
