/** The menu of a thread in the list. */
import { Menu } from '@mantine/core'
import { IconMessage, IconTrash, IconUser, IconUsers } from '@tabler/icons-react'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { PermittedItem } from '../../components/permitted/permitted.tsx'
import { RowMenu } from '../../components/tables/row-menu.tsx'
import { MenuLink } from '../../links/links.tsx'
import { ACCESS } from '../../links/paths.ts'
import { authorAndText, nameOfThread } from '../../queries/resources/threads.ts'
import { searchOf } from '../../resource.ts'

interface ThreadMenuProps {
  apiKey: string
  thread: ThreadRecord
  onDelete: (thread: ThreadRecord) => void
}

export function ThreadMenu({ apiKey, thread, onDelete }: ThreadMenuProps) {
  const { annotationId, comments, from, metadata } = thread
  const [root] = comments
  const params = { apiKey }
  const document = searchOf(metadata.organizationId, { type: 'document', id: metadata.documentId })
  return (
    <RowMenu of={`the thread of ${root === undefined ? annotationId : authorAndText(root)}`}>
      <MenuLink Icon={IconMessage} to="/keys/$apiKey/threads/thread" params={params} search={nameOfThread(thread)}>
        View thread
      </MenuLink>
      <MenuLink Icon={IconUsers} to={ACCESS} params={params} search={document}>
        Access to the document
      </MenuLink>
      <MenuLink Icon={IconUser} to="/keys/$apiKey/users/user" params={params} search={{ userId: from.userId }}>
        View user
      </MenuLink>
      <Menu.Divider />
      <PermittedItem
        needs="threads.delete"
        color="var(--mantine-color-error)"
        Icon={IconTrash}
        onClick={() => onDelete(thread)}
      >
        Delete…
      </PermittedItem>
    </RowMenu>
  )
}
