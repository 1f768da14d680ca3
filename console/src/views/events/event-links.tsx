/** Links from an event: to its subject, if that still exists, and to other events of it. */
import { Group, Stack } from '@mantine/core'
import type { Event } from '#sdk/generated/operations.ts'
import { AnchorLink } from '../../links/links.tsx'
import { ACCESS, WHY } from '../../links/paths.ts'
import { searchOf } from '../../resource.ts'
import type { EventSearch } from './event-search.ts'

const NAMES = { organization: 'the organization', folder: 'the folder', document: 'the document' } as const

export function EventLinks({ event }: { event: Event }) {
  if (event.apiKey === undefined) return null
  return (
    <Stack gap={6} component="nav" aria-label="Related">
      <ToViews event={event} apiKey={event.apiKey} />
      <ToEvents event={event} apiKey={event.apiKey} />
    </Stack>
  )
}

interface LinksProps {
  event: Event
  apiKey: string
}

function ToViews({ event: { type, organizationId, resource, userId, groupId }, apiKey }: LinksProps) {
  const isGone = type.endsWith('.deleted')
  const params = { apiKey }
  const named =
    resource ??
    (type.startsWith('organization.') ? { type: 'organization' as const, id: organizationId ?? '' } : undefined)
  const about =
    organizationId === undefined || named === undefined || isGone ? undefined : searchOf(organizationId, named)
  const isThere = organizationId !== undefined && type !== 'organization.deleted'
  return (
    <Group gap="md" style={{ rowGap: 4 }}>
      {about !== undefined && userId !== undefined && (
        <AnchorLink size="sm" to={WHY} params={params} search={{ ...about, userId }}>
          Why the user has or does not have access
        </AnchorLink>
      )}
      {about !== undefined && (
        <AnchorLink size="sm" to={ACCESS} params={params} search={about}>
          Who has access to {NAMES[about.type]}
        </AnchorLink>
      )}
      {userId !== undefined && (
        <AnchorLink size="sm" to="/keys/$apiKey/users/user" params={params} search={{ userId }}>
          View user
        </AnchorLink>
      )}
      {isThere && groupId !== undefined && !isGone && (
        <AnchorLink size="sm" to="/keys/$apiKey/groups" params={params} search={{ organizationId, groupId }}>
          View user group
        </AnchorLink>
      )}
      {isThere && type.startsWith('document.migration.') && (
        <AnchorLink
          size="sm"
          to="/keys/$apiKey/migrations"
          params={params}
          search={{ organizationId, ...(resource && { documentId: resource.id }) }}
        >
          View migration
        </AnchorLink>
      )}
      {isThere && (
        <AnchorLink size="sm" to="/keys/$apiKey/organizations/resources" params={params} search={{ organizationId }}>
          Contents of the organization
        </AnchorLink>
      )}
    </Group>
  )
}

function ToEvents({ event: { organizationId, resource, userId }, apiKey }: LinksProps) {
  const ofOrganization = organizationId === undefined ? {} : { organizationId }
  const searches: [string, EventSearch][] = []
  if (resource !== undefined)
    searches.push([
      `All events of this ${resource.type}`,
      { ...ofOrganization, resourceType: resource.type, resourceId: resource.id },
    ])
  if (userId !== undefined) searches.push(['All events of this user', { userId }])
  if (organizationId !== undefined && resource?.type !== 'organization')
    searches.push(['All events of this organization', ofOrganization])
  return (
    <Group gap="md" style={{ rowGap: 4 }}>
      {searches.map(([label, search]) => (
        <AnchorLink key={label} size="sm" to="/keys/$apiKey/events" params={{ apiKey }} search={search}>
          {label}
        </AnchorLink>
      ))}
    </Group>
  )
}
