/** What elements have in common whose action would be refused: the reason, by pointer and by keyboard. */
import { Tooltip } from '@mantine/core'
import type { MouseEvent, ReactElement } from 'react'

/** The element keeps the focus, unlike with `disabled`, so that the reason can be read. */
export const refusedProps = {
  'data-disabled': true,
  'aria-disabled': true,
  onClick: (event: MouseEvent) => event.preventDefault(),
}

export function Refused({ refusal, children }: { refusal: string; children: ReactElement }) {
  return (
    <Tooltip label={refusal} multiline maw={300} events={{ hover: true, focus: true, touch: true }}>
      {children}
    </Tooltip>
  )
}
