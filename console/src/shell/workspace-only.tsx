/** What only the workspace may see and do. */
import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { EmptyState } from '../components/empty-state.tsx'
import { useSession } from '../session/use-session.ts'

export function WorkspaceOnly({ children }: { children: ReactNode }) {
  const { workspaceId } = useSession()
  if (workspaceId !== undefined) return children
  return (
    <Paper withBorder>
      <EmptyState title="This belongs to the workspace">
        You are signed in with one API key. Sign out, then sign in with the workspace id and its token.
      </EmptyState>
    </Paper>
  )
}
