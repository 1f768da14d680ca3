/** The breadcrumbs from the organizations to the open folder. */
import type { ReactElement } from 'react'
import { AnchorLink } from '../../links/links.tsx'
import type { FolderPath } from './folders/use-folder-path.ts'
import { shownName } from './resource.ts'

interface ResourceCrumbs {
  apiKey: string
  organizationId: string
  organizationName: string
  path: FolderPath
}

export function resourceCrumbs({ apiKey, organizationId, organizationName, path }: ResourceCrumbs): ReactElement[] {
  const above = path.folders.filter(({ folderId }) => folderId !== path.folder?.folderId)
  const to = '/keys/$apiKey/organizations/resources'
  const crumb = (id: string, name: string, search: { organizationId: string; folderId?: string }) => (
    <AnchorLink key={id} to={to} params={{ apiKey }} search={search} size="sm" activeOptions={{ exact: true }}>
      <bdi>{name}</bdi>
    </AnchorLink>
  )
  return [
    <AnchorLink
      key="organizations"
      to="/keys/$apiKey/organizations"
      params={{ apiKey }}
      size="sm"
      activeOptions={{ exact: true }}
    >
      Organizations
    </AnchorLink>,
    ...(path.folder ? [crumb('top', organizationName, { organizationId })] : []),
    ...above.map(({ folderId, folderName }) =>
      crumb(`folder ${folderId}`, shownName({ id: folderId, name: folderName }), { organizationId, folderId }),
    ),
  ]
}
