/** The columns of the table of folders and documents. */
import { Badge, Box, Group } from '@mantine/core'
import { ResourceIcon } from '../../components/resources/resource-icon.tsx'
import type { Column } from '../../components/tables/data-table.tsx'
import { actionsColumn } from '../../components/tables/row-menu.tsx'
import { Id } from '../../components/values/id.tsx'
import { LongName } from '../../components/values/long-name.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { ACCESS } from '../../links/paths.ts'
import { useKey } from '../../session/use-session.ts'
import { AccessType, AccessTypeText } from './access-type.tsx'
import { originName, useFolderPath } from './folders/use-folder-path.ts'
import { type Resource, shownName } from './resource.ts'
import { type Action, ResourceMenu } from './resource-menu.tsx'

interface ResourceColumns {
  organizationId: string
  /** Where inherited access types come from: `Plans`, `the API key`. Undefined: the rows are in several folders. */
  origin: string | undefined
  onAction: (action: Action, resource: Resource) => void
}

export const resourceColumns = ({ organizationId, origin, onAction }: ResourceColumns): Column<Resource>[] => [
  {
    key: 'name',
    header: 'Name',
    sortedBy: 'name',
    cell: (resource) => (
      <Box lh={1.3}>
        <Name organizationId={organizationId} resource={resource} />
        <AccessTypeText type={resource.accessType} />
      </Box>
    ),
  },
  { key: 'id', header: 'Id', sortedBy: 'id', width: '26%', wideOnly: 'desktop', cell: ({ id }) => <Id>{id}</Id> },
  {
    key: 'access',
    header: 'Access type',
    width: '36%',
    wideOnly: true,
    cell: (resource) =>
      origin === undefined ? (
        <FoundAccessType organizationId={organizationId} resource={resource} />
      ) : (
        <ShownAccessType resource={resource} origin={origin} />
      ),
  },
  actionsColumn((resource) => (
    <ResourceMenu
      organizationId={organizationId}
      resource={resource}
      onAction={(action) => onAction(action, resource)}
    />
  )),
]

const ShownAccessType = ({ resource, origin }: { resource: Resource; origin: string }) => (
  <AccessType type={resource.accessType} origin={resource.ownAccessType === null ? `from ${origin}` : 'set here'} />
)

function FoundAccessType({ organizationId, resource }: { organizationId: string; resource: Resource }) {
  const path = useFolderPath(organizationId, resource.parentId)
  return <ShownAccessType resource={resource} origin={originName(path)} />
}

function Name({ organizationId, resource }: { organizationId: string; resource: Resource }) {
  const { type, id } = resource
  const params = { apiKey: useKey().id }
  const name = <LongName>{shownName(resource)}</LongName>
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <ResourceIcon type={type} labelled />
      {type === 'folder' ? (
        <AnchorLink
          to="/keys/$apiKey/organizations/resources"
          params={params}
          search={{ organizationId, folderId: id }}
          size="sm"
          miw={0}
          draggable={false}
        >
          {name}
        </AnchorLink>
      ) : (
        <AnchorLink
          to={ACCESS}
          params={params}
          search={{ organizationId, type, id }}
          size="sm"
          miw={0}
          draggable={false}
        >
          {name}
        </AnchorLink>
      )}
      {resource.disabled && (
        <Badge variant="default" tt="none" flex="none">
          disabled
        </Badge>
      )}
    </Group>
  )
}
