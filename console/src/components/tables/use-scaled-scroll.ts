/** Tracks which rows of a long list are visible in a scrolling element. */
import { type RefObject, type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import {
  positionAfterScroll,
  type ScrollPosition,
  scrollTopOf,
  settlePosition,
  TOP,
  type VisibleRows,
  visibleRows,
} from './scaled-scroll.ts'

const OVERSCAN = 10
/** The assumed height until the element is measured. */
const VIEWPORT_PX = 800
const SETTLE_MS = 150

interface ScaledScroll extends VisibleRows {
  onScroll: (event: UIEvent<HTMLElement>) => void
}

/** `headerPx` is the height of the sticky header above the rows. */
export function useScaledScroll(
  container: RefObject<HTMLElement | null>,
  rows: number,
  rowHeight: number,
  headerPx: number,
): ScaledScroll {
  const position = useRef<ScrollPosition>(TOP)
  const settleTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [viewport, setViewport] = useState(VIEWPORT_PX)
  const list = { rows, rowHeight, viewport, overscan: OVERSCAN }
  const [visible, setVisible] = useState(() => visibleRows(TOP, list))
  const extent = { total: rows * rowHeight, viewport }

  function render(): void {
    const next = visibleRows(position.current, list)
    setVisible((before) => (isSame(before, next) ? before : next))
  }
  function syncScrollBar(): void {
    const element = container.current
    if (element === null) return
    const before = position.current
    // The element may have been scrolled without its event having arrived yet.
    const isStill = element.scrollTop === before.scrollTop
    const { top } = isStill ? before : positionAfterScroll(before, element.scrollTop, extent)
    const target = scrollTopOf(top, extent)
    if (Math.abs(target - element.scrollTop) > 1) element.scrollTop = target
    position.current = settlePosition(top, element.scrollTop, extent)
    render()
  }
  const latestSync = useRef(syncScrollBar)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function depends on these values only
  useLayoutEffect(() => {
    latestSync.current = syncScrollBar
    syncScrollBar()
  }, [rows, rowHeight, viewport])
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const observer = new ResizeObserver(() => setViewport(Math.max(rowHeight, element.clientHeight - headerPx)))
    observer.observe(element)
    return () => {
      observer.disconnect()
      clearTimeout(settleTimer.current)
    }
  }, [container, rowHeight, headerPx])
  return {
    ...visible,
    onScroll({ currentTarget }) {
      position.current = positionAfterScroll(position.current, currentTarget.scrollTop, extent)
      render()
      clearTimeout(settleTimer.current)
      settleTimer.current = setTimeout(() => flushSync(latestSync.current), SETTLE_MS)
    },
  }
}

const isSame = (one: VisibleRows, other: VisibleRows): boolean =>
  one.first === other.first && one.count === other.count && one.above === other.above && one.below === other.below
