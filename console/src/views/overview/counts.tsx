/** Counts of the API keys of the workspace, and of the contents of this one; each leads to what it counts. */
import { SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '#sdk/session.ts'
import { keysQuery } from '../../queries/keys/keys.ts'
import { useKey, useSession } from '../../session/use-session.ts'
import classes from './counts.module.css'

const ORGANIZATIONS = '/keys/$apiKey/organizations'

/** The cards, each with the view that lists what it counts, or the place where that is. */
const CARDS: Readonly<
  Record<
    keyof Overview['counts'],
    readonly [label: string, to: typeof ORGANIZATIONS | '/keys/$apiKey/users', counted: string]
  >
> = {
  organizations: ['Organizations', ORGANIZATIONS, 'with disabled ones'],
  folders: ['Folders', ORGANIZATIONS, 'in all organizations'],
  documents: ['Documents', ORGANIZATIONS, 'in all organizations'],
  users: ['Users', '/keys/$apiKey/users', 'with a profile'],
  grants: ['Grants', ORGANIZATIONS, 'of users and groups'],
}

/** `overview` is undefined while loading. */
export function Counts({ overview }: { overview: Overview | undefined }) {
  const { id: apiKey } = useKey()
  const ofWorkspace = useSession().workspaceId !== undefined
  const { data: keys } = useQuery({ ...keysQuery, enabled: ofWorkspace })
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: ofWorkspace ? 6 : 5 }}>
      {ofWorkspace && (
        <Link to="/keys" className={classes.card}>
          <Count label="API keys" counted="of the workspace" value={keys?.length.toLocaleString('en') ?? '…'} />
        </Link>
      )}
      {Object.entries(CARDS).map(([what, [label, to, counted]]) => (
        <Link key={what} to={to} params={{ apiKey }} className={classes.card}>
          <Count label={label} counted={counted} value={formatCount(overview, what as keyof Overview['counts'])} />
        </Link>
      ))}
    </SimpleGrid>
  )
}

/** Counts are capped: `100,000+` means more than that. */
function formatCount(overview: Overview | undefined, what: keyof Overview['counts']): string {
  if (overview === undefined) return '…'
  const { counts, countedMax } = overview
  return counts[what] > countedMax ? `${countedMax.toLocaleString('en')}+` : counts[what].toLocaleString('en')
}

function Count({ label, counted, value }: { label: string; counted: string; value: string }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={600} lh={1.3}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {counted}
      </Text>
    </>
  )
}
