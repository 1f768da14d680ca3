/** What opens a row of a table: its name, as long as there is room for it. */
import { Anchor } from '@mantine/core'

export function RowButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      display="block"
      maw="100%"
      truncate
      title={name}
      onClick={onClick}
    >
      {name}
    </Anchor>
  )
}
