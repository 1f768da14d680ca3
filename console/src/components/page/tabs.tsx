/** Tabs of a view; each has a URL of its own. */
import { Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './tabs.module.css'
import { useScrollCue } from './use-scroll-cue.ts'

/** The class of the links inside. */
export const tabClass = classes.tab

export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const container = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()
  useScrollCue(container)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another URL selects another tab
  useEffect(() => {
    const tab = container.current?.querySelector('[aria-current=page]')
    if (container.current && tab) centerTab(container.current, tab)
  }, [pathname])
  return (
    <Group ref={container} component="nav" aria-label={label} gap={0} className={classes.tabs} wrap="nowrap">
      {children}
    </Group>
  )
}

/** Centres the tab. `scrollIntoView` would also move the starting point of keyboard navigation away from the top. */
function centerTab(container: Element, tab: Element): void {
  const [outer, inner] = [container.getBoundingClientRect(), tab.getBoundingClientRect()]
  container.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2
}
