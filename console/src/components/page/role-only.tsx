/** Shows its children only to people whose role lets them read the view; without it, the server would refuse its calls. */
import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import type { OperatorRole } from '#sdk/generated/operations.ts'
import { useHasRole, useSession } from '../../session/use-session.ts'
import { EmptyState } from '../feedback/empty-state.tsx'

export function RoleOnly({ least, children }: { least: OperatorRole; children: ReactNode }) {
  const { operator } = useSession()
  if (useHasRole(least)) return children
  return (
    <Paper withBorder>
      <EmptyState title="Your role does not show this">
        {`Your role in the workspace is "${operator?.role}"; this needs the role "${least}". ${
          least === 'owner' ? 'Ask an owner of the workspace.' : 'Ask an owner or an admin of the workspace.'
        }`}
      </EmptyState>
    </Paper>
  )
}
