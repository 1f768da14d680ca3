/** Events as sentences, grouped by day; more are loaded as the user scrolls. Each opens its details. */
import { Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { useScrollCue } from '../../components/page/use-scroll-cue.ts'
import { formatExact, formatTimeOfDay } from '../../components/values/times.ts'
import { useTimeFormat } from '../../components/values/timestamp.tsx'
import type { Rows } from '../../queries/pages/rows.ts'
import { byDay, dayName } from './days.ts'
import classes from './event-feed.module.css'
import { EventSentence } from './event-sentence.tsx'
import { useToday } from './use-today.ts'

/** A longer list would no longer be read; the pages of `useRows` are kept this far. */
const LISTED_MAX = 5_000
const LOADED_AHEAD = 100

interface EventFeedProps {
  rows: Rows<NamedEvent>
  onShow: (row: NamedEvent) => void
  empty: ReactNode
  /** The feed scrolls inside this height. */
  height?: string
  /** Names the subject beside each event. Default: its organization, if it has one. */
  placeOf?: (row: NamedEvent) => string | undefined
}

export function EventFeed({ rows, onShow, empty, height, placeOf }: EventFeedProps) {
  const today = useToday()
  useTimeFormat()
  const { count, hasMore, isLoading, error, request } = rows
  const feed = useRef<HTMLElement>(null)
  useScrollCue(feed, height !== undefined && count > 0)
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: '600px' })
  const wantsMore = (entry?.isIntersecting ?? false) && count < LISTED_MAX
  useEffect(() => {
    if (wantsMore) request(count, count + LOADED_AHEAD)
  }, [request, wantsMore, count])
  if (count === 0 && error !== null) return <Failure error={error} />
  if (count === 0 && !isLoading && !hasMore) return empty
  return (
    <>
      <section
        ref={feed}
        aria-label="Events"
        className={classes.feed}
        style={{ maxHeight: height }}
        data-scrolls={height === undefined ? undefined : true}
      >
        <Stack gap="md">
          {byDay(rows.loaded, ({ event }) => event.changedAt).map(({ start, rows }) => (
            <section key={start} aria-label={dayName(start, today)}>
              <Title order={2} size="h6" className={classes.day}>
                {dayName(start, today)}
              </Title>
              <ul className={classes.list}>
                {rows.map((row) => (
                  <EventRow key={row.event.id} row={row} onShow={onShow} placeOf={placeOf} />
                ))}
              </ul>
            </section>
          ))}
        </Stack>
        <div ref={ref} />
      </section>
      {error !== null && <Failure error={error} />}
      <Text size="xs" c="dimmed" role="status">
        {statusOf(rows)}
      </Text>
    </>
  )
}

function statusOf({ count, hasMore, isLoading }: Rows<NamedEvent>): string {
  if (isLoading) return 'Loading…'
  if (!hasMore) return `${count.toLocaleString('en')} in total`
  if (count < LISTED_MAX) return `${count.toLocaleString('en')} loaded, more as you scroll`
  return `The latest ${count.toLocaleString('en')} are listed. Choose an earlier time to see others, or export all.`
}

interface EventRowProps {
  row: NamedEvent
  onShow: (row: NamedEvent) => void
  /** What stands in place of the time of day. */
  when?: ReactNode
  placeOf?: EventFeedProps['placeOf']
}

const organizationOf = ({ event: { organizationId }, names }: NamedEvent): string | undefined =>
  organizationId === undefined ? undefined : names.of({ kind: 'organization', id: organizationId })

export function EventRow({ row, onShow, when, placeOf = organizationOf }: EventRowProps) {
  const { changedAt } = row.event
  useTimeFormat()
  const place = placeOf(row)
  return (
    <li className={classes.item}>
      <UnstyledButton className={classes.row} onClick={() => onShow(row)}>
        <span className={classes.what}>
          <EventSentence {...row} />
        </span>
        {place !== undefined && <bdi className={classes.place}>{place}</bdi>}
        <time className={classes.when} dateTime={new Date(changedAt).toISOString()} title={formatExact(changedAt)}>
          {when ?? formatTimeOfDay(changedAt)}
        </time>
      </UnstyledButton>
    </li>
  )
}
