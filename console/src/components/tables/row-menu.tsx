/** The menu at the end of a row or of a list item, with its actions, and the column of these menus in a table. */
import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Column } from './data-table.tsx'

interface RowMenuProps {
  /** The object of the actions, by its name in the row: a screen reader reads nothing else of the row. */
  of: string
  children: ReactNode
}

export const RowMenu = ({ of, children }: RowMenuProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${of}`}>
        <IconDots size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)

export const actionsColumn = <Row,>(cell: Column<Row>['cell'], width = 56): Column<Row> => ({
  key: 'actions',
  header: <VisuallyHidden>Actions</VisuallyHidden>,
  width,
  align: 'end',
  cell,
})
