/** Which rows of a long list are drawn in an element that scrolls. */
import { type RefObject, type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Drawn, drawn, type Place, placed, START, scrolled, scrollTopOf } from './long-scroll.ts'

const AROUND = 10
/** Until the element is measured. */
const SEEN_PX = 800
const QUIET_MS = 150

interface LongScroll extends Drawn {
  onScroll: (event: UIEvent<HTMLElement>) => void
}

/** `headPx` of the element is always seen, above the rows. */
export function useLongScroll(
  room: RefObject<HTMLElement | null>,
  rows: number,
  row: number,
  headPx: number,
): LongScroll {
  const place = useRef<Place>(START)
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [seen, setSeen] = useState(SEEN_PX)
  const around = { rows, row, seen, around: AROUND }
  const [shown, setShown] = useState(() => drawn(START, around))
  const extent = { total: rows * row, seen }

  function show(): void {
    const next = drawn(place.current, around)
    setShown((before) => (isSame(before, next) ? before : next))
  }
  function moveBar(): void {
    const element = room.current
    if (element === null) return
    const before = place.current
    // It may have been scrolled, and the event is still to come.
    const isStill = element.scrollTop === before.scrollTop
    const { top } = isStill ? before : scrolled(before, element.scrollTop, extent)
    const wanted = scrollTopOf(top, extent)
    if (Math.abs(wanted - element.scrollTop) > 1) element.scrollTop = wanted
    place.current = placed(top, element.scrollTop, extent)
    show()
  }
  const latest = useRef(moveBar)
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are made of what is named
  useLayoutEffect(() => {
    latest.current = moveBar
    moveBar()
  }, [rows, row, seen])
  useEffect(() => {
    const element = room.current
    if (element === null) return
    const observer = new ResizeObserver(() => setSeen(Math.max(row, element.clientHeight - headPx)))
    observer.observe(element)
    return () => {
      observer.disconnect()
      clearTimeout(quiet.current)
    }
  }, [room, row, headPx])
  return {
    ...shown,
    onScroll({ currentTarget }) {
      place.current = scrolled(place.current, currentTarget.scrollTop, extent)
      show()
      clearTimeout(quiet.current)
      quiet.current = setTimeout(() => flushSync(latest.current), QUIET_MS)
    },
  }
}

const isSame = (one: Drawn, other: Drawn): boolean =>
  one.first === other.first && one.count === other.count && one.above === other.above && one.below === other.below
