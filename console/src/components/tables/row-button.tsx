/** The button in a table row that opens its details: the name, truncated to the width of the cell. */
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
      <bdi>{name}</bdi>
    </Anchor>
  )
}
