/** The overview of an API key: counts, usage, health and latest events. */
import { Group, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { EveryoneNote } from '../../components/access/everyone.tsx'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { PermittedLink } from '../../components/permitted/permitted.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { overviewQuery } from '../../queries/keys/overview.ts'
import { useRefusal } from '../../session/permission.ts'
import { useKey } from '../../session/use-session.ts'
import { LatestEvents } from '../events/latest-events.tsx'
import { Counts } from './counts.tsx'
import { Health } from './health.tsx'
import { Usage } from './usage.tsx'

export function OverviewView() {
  const key = useKey()
  const mayReadEvents = useRefusal('events.list') === undefined
  const { data: overview, error } = useQuery(overviewQuery(key))
  return (
    <Page title="Overview">
      {error !== null && overview === undefined && <Failure error={error} />}
      {(error === null || overview !== undefined) && <Counts overview={overview} />}
      {overview?.defaultAccessType === 'public' && (
        <PublicByDefault apiKey={key.id} role={overview.defaultAccessRole} />
      )}
      {overview?.counts.organizations === 0 && (
        <Paper withBorder>
          <EmptyState
            title="No organizations yet"
            primary
            action={
              <PermittedLink needs="organizations.add" to="/keys/$apiKey/organizations" params={{ apiKey: key.id }}>
                Add organization
              </PermittedLink>
            }
          >
            Start by adding an organization. It holds folders and documents that people get access to.
          </EmptyState>
        </Paper>
      )}
      {overview === undefined && error === null && <Skeleton height={420} />}
      {overview !== undefined && <Usage of={key} />}
      {overview !== undefined && <Health apiKey={key.id} overview={overview} />}
      {mayReadEvents && (
        <Stack gap="xs">
          <Group justify="space-between" align="baseline">
            <Title order={2} size="h4">
              Latest events
            </Title>
            <AnchorLink size="sm" to="/keys/$apiKey/events" params={{ apiKey: key.id }}>
              All events
            </AnchorLink>
          </Group>
          <Paper withBorder p={4}>
            <LatestEvents count={10} empty="Every change appears here, no matter who made it." />
          </Paper>
        </Stack>
      )}
    </Page>
  )
}

/** Says that documents are open to everyone unless somebody restricts them. */
const VERBS: Readonly<Record<AccessRole, string>> = { viewer: 'view', commenter: 'comment on', editor: 'edit' }

interface PublicByDefaultProps {
  apiKey: string
  /** The role of users without a grant. */
  role: AccessRole
}

function PublicByDefault({ apiKey, role }: PublicByDefaultProps) {
  return (
    <EveryoneNote title="Documents are public by default">
      Every user of this API key can {VERBS[role]} documents and folders without an access type of their own.{' '}
      <AnchorLink to="/keys/$apiKey/settings" params={{ apiKey }} size="sm" underline="always">
        Change the default access type
      </AnchorLink>
    </EveryoneNote>
  )
}
