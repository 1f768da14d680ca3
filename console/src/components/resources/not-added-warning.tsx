/** Warns about a folder or document that is named by grants but was never added: its id may be misspelled. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceType } from '#sdk/generated/operations.ts'
import { documentQuery } from '../../queries/resources/documents.ts'
import { folderQuery } from '../../queries/resources/folders.ts'
import { useKey } from '../../session/use-session.ts'
import { Note } from '../feedback/note.tsx'

interface NotAddedProps {
  organizationId: string
  /** A resource that exists at least in a grant. */
  resource: { type: ResourceType; id: string }
}

export function NotAddedWarning({ organizationId, resource: { type, id } }: NotAddedProps) {
  const key = useKey()
  const folder = useQuery({ ...folderQuery(key, organizationId, id), enabled: type === 'folder' })
  const document = useQuery({ ...documentQuery(key, organizationId, id), enabled: type === 'document' })
  if (folder.data !== null && document.data !== null) return null
  return (
    <Note tone="caution" title={`This ${type} was never added`}>
      It is known only from grants. Its id may be misspelled: then these grants do not open the {type} that was meant.
    </Note>
  )
}
