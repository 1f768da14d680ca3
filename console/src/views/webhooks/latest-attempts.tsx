/** The latest attempts as bars, oldest first: delivered ones point up, as tall as they took, and failed ones down. */
import { Text } from '@mantine/core'
import type { WebhookAttempt } from '#sdk/generated/operations.ts'
import { formatMoment } from '../../components/values/times.ts'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { outcomeOf } from './failure-words.ts'
import classes from './latest-attempts.module.css'

/** Fewer are no picture of anything. */
const SHOWN_MIN = 2

const UP_PX = 40
const DOWN_PX = 16
/** A quick response is a bar too. */
const HEIGHT_MIN_PX = 5

/** `attempts` are the latest first, as they are listed. */
export function LatestAttempts({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  const oldest = attempts.at(-1)
  if (oldest === undefined || attempts.length < SHOWN_MIN) return null
  const lineAt = attempts.some(({ success }) => success) ? UP_PX : 0
  const longest = Math.max(...attempts.map(({ success, durationMs }) => (success ? durationMs : 0)), 1)
  return (
    <div>
      <div className={classes.bars} style={{ height: lineAt + DOWN_PX, backgroundPositionY: lineAt }} aria-hidden>
        {attempts.toReversed().map((attempt) => {
          const { messageId, attemptedAt, attempt: nth, success, durationMs } = attempt
          return (
            <span
              key={`${messageId} ${attemptedAt} ${nth}`}
              className={success ? classes.delivered : classes.failed}
              style={success ? upwards((UP_PX * durationMs) / longest) : { marginTop: lineAt, height: DOWN_PX }}
              title={`${formatMoment(attemptedAt)}: ${outcomeOf(attempt)}, ${durationMs.toLocaleString('en')} ms`}
            />
          )
        })}
      </div>
      <Text size="xs" c="dimmed">
        The latest {attempts.length} attempts; the first was <Timestamp at={oldest.attemptedAt} />.
      </Text>
    </div>
  )
}

function upwards(px: number) {
  const height = Math.max(HEIGHT_MIN_PX, px)
  return { height, marginTop: UP_PX - height }
}

/** Returns the usual and the longest time of the responses: `40 ms usually, 1,200 ms at most`. */
export function responseTimes(attempts: readonly WebhookAttempt[]): string {
  const times = attempts.flatMap(({ httpStatus, durationMs }) => (httpStatus === null ? [] : [durationMs]))
  const sorted = times.toSorted((one, other) => one - other)
  const median = sorted[Math.floor((sorted.length - 1) / 2)]
  if (median === undefined) return 'no responses yet'
  return `${median.toLocaleString('en')} ms usually, ${sorted.at(-1)?.toLocaleString('en')} ms at most`
}
