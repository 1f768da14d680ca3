/** Chooses the time of the events: a period of the calendar, or any time. A range of two times is among the filters. */
import { Chip, Group } from '@mantine/core'
import { PERIODS, type Period } from './days.ts'
import type { EventSearch } from './event-search.ts'

const NAMES: Readonly<Record<Period, string>> = { today: 'Today', yesterday: 'Yesterday', '7d': '7 days' }
const ANY = 'any'

interface PeriodChipsProps {
  search: EventSearch
  onShow: (search: EventSearch) => void
}

export function PeriodChips({ search, onShow }: PeriodChipsProps) {
  const { period, from, to, ...others } = search
  const isRange = from !== undefined || to !== undefined
  return (
    <Chip.Group
      value={period ?? (isRange ? null : ANY)}
      onChange={(chosen) => {
        const next = PERIODS.find((one) => one === chosen)
        onShow(next === undefined ? others : { ...others, period: next })
      }}
    >
      <Group gap="xs" role="group" aria-label="Time">
        <Chip name="period" value={ANY} size="sm">
          Any time
        </Chip>
        {PERIODS.map((one) => (
          <Chip name="period" key={one} value={one} size="sm">
            {NAMES[one]}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}
