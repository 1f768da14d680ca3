/** Where one goes from an event: to what it is about, and to what else happened to that. */
import { Group } from '@mantine/core'
import type { Event } from '#sdk/generated/operations.ts'
import { AnchorLink } from '../../shell/links.tsx'
import type { EventSearch } from './event-search.ts'

export function EventLinks({ event: { apiKey, organizationId, resource, userId } }: { event: Event }) {
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
  if (apiKey === undefined || searches.length === 0) return null
  return (
    <Group gap="md">
      {searches.map(([label, search]) => (
        <AnchorLink key={label} size="sm" to="/keys/$apiKey/events" params={{ apiKey }} search={search}>
          {label}
        </AnchorLink>
      ))}
    </Group>
  )
}
