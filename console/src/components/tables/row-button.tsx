/** The button in a table row that opens its details: the name, in two lines of the cell at most. */
import { Anchor } from '@mantine/core'
import { LongName } from '../values/long-name.tsx'

export function RowButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Anchor component="button" type="button" size="sm" display="block" maw="100%" ta="start" onClick={onClick}>
      <LongName>{name}</LongName>
    </Anchor>
  )
}
