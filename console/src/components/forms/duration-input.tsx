/** A field for a duration in seconds, entered in the unit that suits it. */
import { Group, Input, NativeSelect, NumberInput } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'

const UNITS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const
type Unit = (typeof UNITS)[number][0]

const secondsOf = (unit: Unit): number => UNITS.find(([name]) => name === unit)?.[1] ?? 1

/** Returns the longest unit that divides the duration. */
const unitOf = (seconds: number): Unit =>
  UNITS.find(([, length]) => seconds > 0 && seconds % length === 0)?.[0] ?? 'hours'

interface DurationInputProps {
  label: string
  description?: ReactNode
  seconds: number
  max: number
  onChange: (seconds: number) => void
}

export function DurationInput({ label, description, seconds, max, onChange }: DurationInputProps) {
  const id = useId()
  const [unit, setUnit] = useState(() => unitOf(seconds))
  const length = secondsOf(unit)
  return (
    <Input.Wrapper label={label} description={description} labelProps={{ htmlFor: id }}>
      <Group gap="xs" mt={4} wrap="nowrap" maw={320}>
        <NumberInput
          id={id}
          flex={1}
          min={0}
          max={max / length}
          decimalScale={3}
          value={seconds / length}
          onChange={(value) => onChange(Math.round(Number(value) * length))}
          hideControls
        />
        <NativeSelect
          aria-label={`${label}: unit`}
          w={110}
          value={unit}
          data={UNITS.map(([name]) => name)}
          onChange={({ currentTarget }) => setUnit(currentTarget.value as Unit)}
        />
      </Group>
    </Input.Wrapper>
  )
}

/** `2 days`, `90 minutes`. */
export function formatDuration(seconds: number): string {
  if (seconds === 0) return '0 seconds'
  const unit = unitOf(seconds)
  const count = seconds / secondsOf(unit)
  return `${count.toLocaleString('en')} ${count === 1 ? unit.slice(0, -1) : unit}`
}
