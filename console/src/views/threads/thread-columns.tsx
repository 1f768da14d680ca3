/** The columns of the table of threads. */
import { Box } from '@mantine/core'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import type { Column } from '../../components/tables/data-table.tsx'
import { actionsColumn } from '../../components/tables/row-menu.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { StateBadge } from '../../components/values/state-badge.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { placeKey } from '../../queries/resources/resource-names.ts'
import { nameOfThread, textOf } from '../../queries/resources/threads.ts'
import { shownName } from '../../shown-name.ts'
import classes from './thread-columns.module.css'
import { ThreadMenu } from './thread-menu.tsx'

/** The status of a thread, under the name that its app has for it. */
const STATES = { default: 'wait', ongoing: 'wait', terminal: 'good' } as const

export function ThreadState({ thread: { status } }: { thread: ThreadRecord }) {
  return (
    <StateBadge state={STATES[status.type]} title={status.id}>
      <bdi>{status.name}</bdi>
    </StateBadge>
  )
}

/** `names` has the names of documents, by `placeKey`. */
export const threadColumns = (
  apiKey: string,
  names: ReadonlyMap<string, string>,
  onDelete: (thread: ThreadRecord) => void,
): Column<ThreadRecord>[] => [
  {
    key: 'thread',
    header: 'Thread',
    cell: (thread) => {
      const [root] = thread.comments
      const text = root === undefined ? '' : textOf(root)
      return (
        <Box lh={1.3}>
          <AnchorLink
            to="/keys/$apiKey/threads/thread"
            params={{ apiKey }}
            search={nameOfThread(thread)}
            size="sm"
            className={classes.text}
          >
            <bdi>{text.trim() === '' ? 'A comment without text' : text}</bdi>
          </AnchorLink>
          <ClampedText size="xs" c="dimmed">
            <bdi>{shownName(thread.from.name, thread.from.userId)}</bdi>
          </ClampedText>
        </Box>
      )
    },
  },
  {
    key: 'document',
    header: 'Document',
    width: '20%',
    wideOnly: true,
    cell: ({ metadata: { organizationId, documentId: id } }) => {
      const name = names.get(placeKey({ type: 'document', id }))
      return (
        <ResourceLink
          organizationId={organizationId}
          resource={{ type: 'document', id, ...(name !== undefined && { name }) }}
        />
      )
    },
  },
  {
    key: 'comments',
    header: 'Comments',
    width: 100,
    align: 'end',
    wideOnly: 'desktop',
    cell: ({ comments }) => comments.length.toLocaleString('en'),
  },
  { key: 'status', header: 'Status', width: 'min(130px, 30vw)', cell: (thread) => <ThreadState thread={thread} /> },
  {
    key: 'updated',
    header: 'Updated',
    width: 130,
    wideOnly: 'desktop',
    cell: ({ lastUpdated }) => <Timestamp at={lastUpdated} />,
  },
  actionsColumn((thread) => <ThreadMenu apiKey={apiKey} thread={thread} onDelete={onDelete} />),
]
