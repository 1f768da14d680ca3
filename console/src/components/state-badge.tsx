/** How something stands: a word in a colour, and never the colour alone. */
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './state-badge.module.css'

interface StateBadgeProps {
  /** `off`: neither, such as what is disabled. */
  state: 'good' | 'bad' | 'off'
  title?: string | undefined
  children: ReactNode
}

export function StateBadge({ state, title, children }: StateBadgeProps) {
  return (
    <Badge className={classes[state]} tt="none" title={title}>
      {children}
    </Badge>
  )
}

export function Enabled({ disabled }: { disabled: boolean }) {
  return <StateBadge state={disabled ? 'off' : 'good'}>{disabled ? 'disabled' : 'enabled'}</StateBadge>
}
