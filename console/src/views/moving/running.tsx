/** The progress of a check or an import, and its end if it ended without a report. They take the focus of the button that is gone. */
import { Box, Button, Group, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { MovingFailure, type MovingReason } from '#moving/failure.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { useLostFocus } from '../../components/feedback/use-lost-focus.ts'
import { plural } from '../../plural.ts'
import type { Progress } from './runs.ts'

interface RunningProps {
  label: string
  progress: Progress | undefined
  /** The number of lines, if it is known. */
  lines: number | undefined
  onCancel: () => void
}

export function Running({ label, progress, lines, onCancel }: RunningProps) {
  const { line = 0, records = 0, failed = 0 } = progress ?? {}
  const part = lines === undefined || lines === 0 ? 100 : Math.min(100, (100 * line) / lines)
  return (
    <Stack gap={6} maw={420}>
      <ProgressBar value={part} animated={lines === undefined} aria-label={label} />
      <Group gap="sm">
        <Text size="sm" role="status" {...useLostFocus<HTMLParagraphElement>()}>
          {label}:{' '}
          {lines === undefined
            ? `line ${line.toLocaleString('en')}`
            : `line ${line.toLocaleString('en')} of ${lines.toLocaleString('en')}`}
          , {plural(records, 'record')}, {failed.toLocaleString('en')} refused
        </Text>
        <Button size="xs" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

export function Cancelled({ children }: { children: string }) {
  return (
    <Text size="sm" role="status" {...useLostFocus<HTMLParagraphElement>()}>
      {children}
    </Text>
  )
}

const NEXT: Readonly<Record<MovingReason, string>> = {
  answers: 'Convert it with commonhold move convert on the command line, and choose the result here.',
  compressed: 'Decompress it, and choose the result.',
  no_export: 'Is it the right file? CSV is imported on the command line.',
  of_workspace: 'Import it on the command line, or export the API key alone.',
}

export function RunFailure({ error }: { error: Error }) {
  const known = error instanceof MovingFailure ? error : undefined
  return (
    <Box {...useLostFocus<HTMLDivElement>()}>
      <Failure error={error} next={known?.reason === undefined ? known?.next : NEXT[known.reason]} />
    </Box>
  )
}
