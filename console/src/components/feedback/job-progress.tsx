/** The progress of a job that the server works on. */
import { Progress, Stack, Text } from '@mantine/core'
import { Failure } from './failure.tsx'

interface JobProgressProps {
  /** `Erasure progress` */
  label: string
  /** `Erasing` */
  doing: string
  /** Said when the job is complete. */
  done: string
  job: { percent: number; tasksCount: number; tasksLeft: number }
  /** The error of the last attempt to read the progress. */
  error: Error | null
}

export function JobProgress({ label, doing, done, job: { percent, tasksCount, tasksLeft }, error }: JobProgressProps) {
  return (
    <Stack gap={4} w="100%">
      <Progress value={percent} aria-label={label} />
      <Text size="sm" role="status">
        {tasksLeft === 0
          ? done
          : `${doing}: ${(tasksCount - tasksLeft).toLocaleString('en')} of ${tasksCount.toLocaleString('en')} done.`}
      </Text>
      {error !== null && <Failure error={error} />}
    </Stack>
  )
}
