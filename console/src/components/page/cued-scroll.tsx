/** The part of a dialog that scrolls: it fades at the bottom while there is more below. */
import { type ComponentProps, useRef } from 'react'
import classes from './cued-scroll.module.css'
import { useScrollCue } from './use-scroll-cue.ts'

export function CuedScroll(props: ComponentProps<'div'>) {
  const element = useRef<HTMLDivElement>(null)
  useScrollCue(element)
  return <div {...props} ref={element} className={classes.scroll} />
}
