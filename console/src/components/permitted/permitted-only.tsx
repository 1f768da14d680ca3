/** Shows its children only to people who may read the view; for the others, the server would refuse its calls. */
import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Needs, useRefusal } from '../../session/permission.ts'
import { EmptyState } from '../feedback/empty-state.tsx'
import { Page } from '../page/page.tsx'

interface PermittedOnlyProps {
  needs: Needs
  /** The heading of the view, if the children are the view. */
  title?: string
  children: ReactNode
}

export function PermittedOnly({ needs, title, children }: PermittedOnlyProps) {
  const refusal = useRefusal(needs)
  if (refusal === undefined) return children
  const reason = (
    <Paper withBorder>
      <EmptyState title="You cannot see this">{refusal}</EmptyState>
    </Paper>
  )
  return title === undefined ? reason : <Page title={title}>{reason}</Page>
}
