/** The result of a test or a dry run, in words and a colour. */
import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import tones from '../values/tones.module.css'

interface OutcomeProps {
  good: boolean
  title: string
  children: ReactNode
}

export function Outcome({ good, title, children }: OutcomeProps) {
  return (
    <Alert color={good ? 'green' : 'red'} title={title} classNames={{ title: good ? tones.good : tones.danger }}>
      {children}
    </Alert>
  )
}
