/** Marks the edges of a scrolling element beyond which it has more: the style sheet fades them (`[data-cue]` in global.css). */
import { type RefObject, useEffect } from 'react'

/** Rounded sizes differ from the real ones by less than this. */
const TOLERANCE_PX = 2

function cueOf({ scrollTop, scrollLeft, clientHeight, clientWidth, scrollHeight, scrollWidth }: HTMLElement): string {
  const isBelow = scrollTop + clientHeight < scrollHeight - TOLERANCE_PX
  const isAtEnd = scrollLeft + clientWidth < scrollWidth - TOLERANCE_PX
  return [isBelow && 'below', isAtEnd && 'end', scrollLeft > TOLERANCE_PX && 'start'].filter(Boolean).join(' ')
}

/** `isScrolling`: whether the element scrolls at all; otherwise the page does. */
export function useScrollCue(ref: RefObject<HTMLElement | null>, isScrolling = true): void {
  useEffect(() => {
    const element = ref.current
    if (element === null || !isScrolling) return
    const mark = () => {
      const cue = cueOf(element)
      if (cue === '') delete element.dataset.cue
      else if (element.dataset.cue !== cue) element.dataset.cue = cue
    }
    mark()
    const sizes = new ResizeObserver(mark)
    for (const one of [element, ...element.children]) sizes.observe(one)
    element.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', mark)
    }
  }, [ref, isScrolling])
}
