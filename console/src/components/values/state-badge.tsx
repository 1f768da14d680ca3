/** A state as a word on a coloured badge, never as a colour alone. */
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './state-badge.module.css'

interface StateBadgeProps {
  /** `off` is neutral, such as disabled; `wait` is neither good nor bad yet. */
  state: 'good' | 'bad' | 'wait' | 'off'
  title?: string | undefined
  children: ReactNode
}

export function StateBadge({ state, title, children }: StateBadgeProps) {
  return (
    <Badge className={classes[state]} tt="none" flex="none" title={title}>
      {children}
    </Badge>
  )
}

export function EnabledBadge({ disabled }: { disabled: boolean }) {
  return <StateBadge state={disabled ? 'off' : 'good'}>{disabled ? 'disabled' : 'enabled'}</StateBadge>
}
