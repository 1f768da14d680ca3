/**
 * A name in a row of a list. Of one that does not fit, the middle is left out, because long names often differ only at
 * their ends; all of it is on hover and for screen readers.
 */
import { VisuallyHidden } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import classes from './long-name.module.css'
import { cutToWidth, lineWidthOf } from './middle-cut.ts'

interface LongNameProps {
  children: string
  /** Something is below the name in the same row. */
  short?: boolean
  /** Instead of the one for rows with two lines. */
  className?: string | undefined
  /** The title says more than the name; it is for an element around this one. */
  isTitled?: boolean
}

/** Names up to this length fit everywhere, and are not measured. */
const SHORT_CHARACTERS_MAX = 16

export function LongName({ children: name, short = false, className = classes.name, isTitled = false }: LongNameProps) {
  const element = useRef<HTMLElement>(null)
  const [widthPx, setWidthPx] = useState(0)
  const [cut, setCut] = useState<{ name: string; widthPx: number; shown: string }>()
  const isLong = name.length > SHORT_CHARACTERS_MAX
  const isMeasured = cut?.name === name && cut.widthPx === widthPx
  useLayoutEffect(() => {
    const { current } = element
    if (!isLong || current === null) return
    const observer = new ResizeObserver(() => setWidthPx(lineWidthOf(current)))
    observer.observe(current)
    return () => observer.disconnect()
  }, [isLong])
  useLayoutEffect(() => {
    const { current } = element
    if (!isLong || isMeasured || current === null) return
    setCut({ name, widthPx, shown: cutToWidth(current, name) })
  }, [isLong, isMeasured, name, widthPx])
  const shown = isLong && isMeasured ? cut.shown : name
  return (
    <bdi
      ref={element}
      className={className}
      data-short={short || undefined}
      data-cut={shown !== name || undefined}
      title={shown !== name && !isTitled ? name : undefined}
    >
      {shown === name ? (
        name
      ) : (
        <>
          <span aria-hidden>{shown}</span>
          <VisuallyHidden>{name}</VisuallyHidden>
        </>
      )}
    </bdi>
  )
}
