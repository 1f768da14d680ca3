/** The SQL statements that list folders by name (ADR 0051). */
import { statement } from '#platform/db/statement.ts'
import { byName, type Positioned } from '#tenancy/name-order.ts'
import { type FolderRecordRow, RECORD } from './statements.ts'

/** Returns lists of at most `$3` folders in `scope` by name, after the position `$2`. Ordered by all columns of the index. */
const foldersByName = (name: string, scope: string) =>
  byName({ name: 'r.name', id: 'r.id', after: '$2' }, ({ orderBy, position, following, order, direction }) =>
    statement<FolderRecordRow & Positioned>(
      `${name} by ${orderBy}`,
      /* sql */ `
  select ${RECORD}, ${position} from resources r
   where r.organization_key = $1 and ${scope} and r.kind = 'folder' and ${following} and r.added_at is not null
   order by r.folder_key ${direction}, r.kind ${direction}, ${order} limit $3::int`,
    ),
  )

export const LIST_TOP_FOLDERS_BY_NAME = foldersByName('folders.list-top', 'r.folder_key is null')

/** Lists the direct subfolders of folder `$4` in the same way. */
export const LIST_SUB_FOLDERS_BY_NAME = foldersByName('folders.list-sub', 'r.folder_key = $4::uuid')
