/** The contents of an organization: the tree of its folders, and the contents of the open folder. */

import { Alert, Box, Button, Drawer, Grid, Paper, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBan, IconBinaryTree, IconFilePlus, IconFolderPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch as useUrlSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page/page.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { ToOrganizations } from '../../components/resources/organization-states.tsx'
import { ButtonLink } from '../../links/links.tsx'
import type { FolderSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'
import { ROOT } from '../../queries/resources/folders.ts'
import { organizationQuery } from '../../queries/resources/organizations.ts'
import { useRefusal } from '../../session/permission.ts'
import { useKey } from '../../session/use-session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { shownName as shownNameOf } from '../../shown-name.ts'
import { type ResourceDialog, ResourceDialogs } from './dialogs/resource-dialogs.tsx'
import { useDrag } from './drag.ts'
import { FolderTree } from './folders/folder-tree.tsx'
import { useFolderPath } from './folders/use-folder-path.ts'
import { OpenFolder } from './open-folder.tsx'
import { folderResource, neededFor, type Resource, shownName } from './resource.ts'
import { resourceCrumbs } from './resource-crumbs.tsx'
import { ResourceMenu } from './resource-menu.tsx'
import { useChanges } from './use-changes.ts'

const MOVABLE = [{ type: 'folder' }, { type: 'document' }] as const
const NOTHING: ReadonlyMap<string, Resource> = new Map()

export function ResourcesView() {
  const key = useKey()
  const [{ organizationId, folderId }, change] = useAddress<FolderSearch>(
    useUrlSearch({ from: '/keys/$apiKey/organizations/resources' }),
  )
  const parentId = folderId ?? ROOT
  const [selection, setSelection] = useState({ within: parentId, rows: NOTHING })
  const selected = selection.within === parentId ? selection.rows : NOTHING
  const select = (rows: ReadonlyMap<string, Resource>) => setSelection({ within: parentId, rows })
  const [dialog, openDialog] = useState<ResourceDialog>()
  const [treeOpened, { open: openTree, close: closeTree }] = useDisclosure()
  const organization = useQuery(organizationQuery(key, organizationId))
  const path = useFolderPath(organizationId, folderId ?? ROOT)
  const changes = useChanges(organizationId, () => select(NOTHING))
  const mayMove = useRefusal(neededFor(MOVABLE).move) === undefined
  const drag = useDrag(mayMove ? changes.move : undefined)

  const organizationName = shownNameOf(organization.data?.organizationName, organizationId)
  const { folder } = path
  if (organization.data === null || folder === null)
    return (
      <NotFound
        action={
          organization.data === null ? (
            <ToOrganizations />
          ) : (
            <ButtonLink
              to="/keys/$apiKey/organizations/resources"
              params={{ apiKey: key.id }}
              search={{ organizationId }}
              variant="default"
            >
              <span>
                Go to <bdi>{organizationName}</bdi>
              </span>
            </ButtonLink>
          )
        }
      >
        {organization.data === null
          ? 'No organization has this id. It may have been deleted.'
          : 'No folder of the organization has this id. It may have been deleted.'}
      </NotFound>
    )
  const title = folder ? shownName({ id: folder.folderId, name: folder.folderName }) : (folderId ?? organizationName)
  const add = (type: 'folder' | 'document') => openDialog({ what: 'add', type, parentId })
  function open(id: string): void {
    const search = { organizationId, ...(id === ROOT ? {} : { folderId: id }) }
    change(() => search)
  }
  // When the open folder itself is deleted, its parent opens.
  function onDeleted(deleted: readonly Resource[]): void {
    select(NOTHING)
    if (folder && deleted.some(({ type, id }) => type === 'folder' && id === folder.folderId))
      open(folder.parentFolderId)
  }
  const tree = (
    <FolderTree
      label="Folders"
      organizationId={organizationId}
      organizationName={organizationName}
      chosen={parentId}
      path={path}
      drag={drag}
      onChoose={(id) => {
        closeTree()
        open(id)
      }}
    />
  )
  return (
    <Page
      title={title}
      crumbs={resourceCrumbs({ apiKey: key.id, organizationId, organizationName, path })}
      actions={
        <>
          <PermittedButton
            needs="folders.add"
            variant="default"
            leftSection={<IconFolderPlus size={16} aria-hidden />}
            onClick={() => add('folder')}
          >
            Add folder
          </PermittedButton>
          <PermittedButton
            needs="documents.add"
            leftSection={<IconFilePlus size={16} aria-hidden />}
            onClick={() => add('document')}
          >
            Add document
          </PermittedButton>
          {folder && (
            <ResourceMenu
              organizationId={organizationId}
              resource={folderResource(folder)}
              onAction={(what) => openDialog({ what, resources: [folderResource(folder)] })}
            />
          )}
        </>
      }
    >
      {organization.data?.disabled && (
        <Alert icon={<IconBan aria-hidden />} title="This organization is disabled" c="var(--mantine-color-text)">
          Nobody has access to anything in it, regardless of grants, until you enable it again under Organizations.
        </Alert>
      )}
      <Button
        hiddenFrom="lg"
        variant="default"
        w="fit-content"
        leftSection={<IconBinaryTree size={16} aria-hidden />}
        onClick={openTree}
      >
        Folders
      </Button>
      <Grid gap="md">
        <Grid.Col span={3} visibleFrom="lg">
          <Paper withBorder p="xs" mah="calc(100dvh - 12rem)" style={{ overflow: 'auto' }}>
            {tree}
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 9 }}>
          <Stack gap="sm">
            <OpenFolder
              key={`${organizationId}\n${parentId}`}
              organizationId={organizationId}
              folderId={folderId}
              path={path}
              drag={drag}
              selected={selected}
              onSelect={select}
              busy={changes.busy}
              onOpenDialog={openDialog}
              onDisable={changes.disable}
            />
          </Stack>
        </Grid.Col>
      </Grid>
      <Drawer opened={treeOpened} onClose={closeTree} title="Folders" hiddenFrom="lg">
        <Box>{tree}</Box>
      </Drawer>
      {dialog !== undefined && (
        <ResourceDialogs
          organizationId={organizationId}
          organizationName={organizationName}
          dialog={dialog}
          changes={changes}
          onDeleted={onDeleted}
          onClose={() => openDialog(undefined)}
        />
      )}
    </Page>
  )
}
