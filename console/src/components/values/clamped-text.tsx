/** A text in a row of a list, of a few lines. One that does not fit is shown whole on hover, on focus, and when it is tapped. */
import { Text, type TextProps, Tooltip } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

interface ClampedTextProps extends Pick<TextProps, 'hiddenFrom' | 'size' | 'c' | 'lh'> {
  lines?: number
  children: ReactNode
}

export function ClampedText({ lines = 1, children, ...props }: ClampedTextProps) {
  const element = useRef<HTMLDivElement>(null)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    // Also when the text changes, because that seldom changes the size of the element.
    const measure = () =>
      setCut(current.scrollHeight > current.clientHeight + 1 || current.scrollWidth > current.clientWidth + 1)
    const resized = new ResizeObserver(measure)
    const changed = new MutationObserver(measure)
    resized.observe(current)
    changed.observe(current, { characterData: true, childList: true, subtree: true })
    return () => {
      resized.disconnect()
      changed.disconnect()
    }
  }, [])
  return (
    <Tooltip
      label={children}
      disabled={!isCut}
      multiline
      maw={300}
      style={{ overflowWrap: 'anywhere' }}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Text
        ref={element}
        component="div"
        {...props}
        lineClamp={lines}
        style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}
        {...(isCut && { tabIndex: 0 })}
      >
        {children}
      </Text>
    </Tooltip>
  )
}
