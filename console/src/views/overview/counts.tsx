/** Counts of the API keys of the workspace, and of the contents of this one. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Overview } from '#sdk/session.ts'
import { keysQuery } from '../../queries/keys/keys.ts'
import { useSession } from '../../session/use-session.ts'

const LABELS: Readonly<Record<keyof Overview['counts'], string>> = {
  organizations: 'Organizations',
  folders: 'Folders',
  documents: 'Documents',
  users: 'Users',
  grants: 'Grants',
}

/** `overview` is undefined while loading. */
export function Counts({ overview }: { overview: Overview | undefined }) {
  const ofWorkspace = useSession().workspaceId !== undefined
  const { data: keys } = useQuery({ ...keysQuery, enabled: ofWorkspace })
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: ofWorkspace ? 6 : 5 }}>
      {ofWorkspace && <Count label="API keys" value={keys?.length.toLocaleString() ?? '…'} />}
      {Object.entries(LABELS).map(([what, label]) => (
        <Count key={what} label={label} value={formatCount(overview, what as keyof Overview['counts'])} />
      ))}
    </SimpleGrid>
  )
}

/** Counts are capped: `100,000+` means more than that. */
function formatCount(overview: Overview | undefined, what: keyof Overview['counts']): string {
  if (overview === undefined) return '…'
  const { counts, countedMax } = overview
  return counts[what] > countedMax ? `${countedMax.toLocaleString()}+` : counts[what].toLocaleString()
}

function Count({ label, value }: { label: string; value: string }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={600} lh={1.3}>
        {value}
      </Text>
    </Paper>
  )
}
