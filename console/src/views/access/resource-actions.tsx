/** Links from the access page of a resource: its contents or its parent, the matrix, and its events. */
import type { ResourceName } from '#sdk/generated/operations.ts'
import { PermittedLink } from '../../components/permitted/permitted.tsx'
import { ButtonLink } from '../../links/links.tsx'
import { CHANGES, MATRIX } from '../../links/paths.ts'
import { useKey } from '../../session/use-session.ts'

interface ResourceActionsProps {
  organizationId: string
  resource: ResourceName
  /** The parent of the resource. */
  parent: { type: ResourceName['type']; id: string } | undefined
}

export function ResourceActions({ organizationId, resource: { type, id }, parent }: ResourceActionsProps) {
  const params = { apiKey: useKey().id }
  const inside = type === 'document' ? parent : { type, id }
  const folder = inside?.type === 'folder' ? { folderId: inside.id } : {}
  return (
    <>
      <ButtonLink
        variant="default"
        to="/keys/$apiKey/organizations/resources"
        params={params}
        search={{ organizationId, ...folder }}
      >
        {type !== 'document' ? 'Contents' : parent?.type === 'folder' ? 'Folder' : 'Organization'}
      </ButtonLink>
      {type !== 'document' && (
        <ButtonLink variant="default" to={MATRIX} params={params} search={{ organizationId, ...folder }}>
          Matrix
        </ButtonLink>
      )}
      {type !== 'folder' && (
        <ButtonLink
          variant="default"
          to="/keys/$apiKey/threads"
          params={params}
          search={type === 'organization' ? { organizationId } : { organizationId, documentId: id }}
        >
          Threads
        </ButtonLink>
      )}
      <PermittedLink
        needs="events.list"
        variant="default"
        to={CHANGES}
        params={params}
        search={{ organizationId, type, id }}
      >
        Changes
      </PermittedLink>
      <PermittedLink
        needs="events.list"
        variant="default"
        to="/keys/$apiKey/events"
        params={params}
        search={type === 'organization' ? { organizationId } : { organizationId, resourceType: type, resourceId: id }}
      >
        Events
      </PermittedLink>
    </>
  )
}
