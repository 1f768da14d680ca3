/** Folders of an organization, as a tree that is read as it opens. */
import type { Key } from '../session/session.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'

/** Those directly in `folderId`; without one, those directly in the organization. */
export const foldersQuery = (key: Key, organizationId: string, folderId?: string) =>
  pagesQuery({
    queryKey: ofKey(key, 'folders', organizationId, folderId),
    method: key.client.folders.get,
    data:
      folderId === undefined ? { organizationId, rootFoldersOnly: true } : { organizationId, folderId, maxDepth: 1 },
    rowsOf: (found) => (folderId === undefined ? found : found.flatMap(({ subFolders }) => subFolders ?? [])),
  })
