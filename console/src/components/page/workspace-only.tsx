/** Shows its children only to sessions of the workspace. */
import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { WORKSPACE_MISSING } from '../../session/permission.ts'
import { useSession } from '../../session/use-session.ts'
import { EmptyState } from '../feedback/empty-state.tsx'

export function WorkspaceOnly({ children }: { children: ReactNode }) {
  const { workspaceId } = useSession()
  if (workspaceId !== undefined) return children
  return (
    <Paper withBorder>
      <EmptyState title="Only the workspace can do this">{WORKSPACE_MISSING}</EmptyState>
    </Paper>
  )
}
