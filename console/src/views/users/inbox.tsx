/** The inbox of a user in an organization, grouped by thread, with unread notifications marked. */
import { Badge, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { ClampedText } from '../../components/values/clamped-text.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { plural } from '../../plural.ts'
import { grouped, type InboxGroup, inboxQuery } from '../../queries/users/inbox.ts'
import { useKey } from '../../session/use-session.ts'

/** Groups need all notifications: this is the number of pages, of a hundred each, that are read at once. */
const PAGES_AT_ONCE = 10
const SHOWN_MAX = 50

export function Inbox({ userId, organizationId }: { userId: string; organizationId: string }) {
  const [text, setText] = useState('')
  const [pagesMax, setPagesMax] = useState(PAGES_AT_ONCE)
  const query = useInfiniteQuery(inboxQuery(useKey(), organizationId, userId))
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query
  const pages = data?.pages.length ?? 0
  const shouldContinue = hasNextPage && !isFetching && error === null && pages < pagesMax
  useEffect(() => {
    if (shouldContinue) void fetchNextPage()
  }, [shouldContinue, fetchNextPage])
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={64} />
  const notifications = data.pages.flatMap((page) => page.data)
  const groups = grouped(notifications, text)
  if (notifications.length === 0 && !hasNextPage)
    return (
      <Text size="sm" c="dimmed">
        Nothing in the inbox.
      </Text>
    )
  const unread = groups.reduce((sum, group) => sum + group.unread, 0)
  return (
    <Stack gap="xs">
      <TextInput
        label="Search the inbox"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Stack component="ul" gap={6} m={0} p={0} aria-label="Inbox" style={{ listStyle: 'none' }}>
        {groups.slice(0, SHOWN_MAX).map((group) => (
          <GroupItem key={group.id} organizationId={organizationId} group={group} />
        ))}
      </Stack>
      <Group gap="xs">
        <Text size="xs" c="dimmed" role="status">
          {`${plural(groups.length, 'thread')}, ${unread.toLocaleString('en')} unread`}
          {groups.length > SHOWN_MAX && `, of which the first ${SHOWN_MAX} are shown`}
          {hasNextPage && `, in the newest ${notifications.length.toLocaleString('en')} notifications`}
        </Text>
        {hasNextPage && !shouldContinue && !isFetching && (
          <Button variant="default" size="xs" onClick={() => setPagesMax(pages + PAGES_AT_ONCE)}>
            Read more
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function GroupItem({ organizationId, group }: { organizationId: string; group: InboxGroup }) {
  const { id: apiKey } = useKey()
  const { documentId, annotationId, unread, notifications } = group
  const [newest] = notifications
  const headline = newest?.displayHeadlineMessage ?? ''
  return (
    <li>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Stack gap={0} miw={0}>
          {annotationId === undefined ? (
            <ClampedText size="sm">
              <bdi>{headline}</bdi>
            </ClampedText>
          ) : (
            <AnchorLink
              size="sm"
              to="/keys/$apiKey/threads/thread"
              params={{ apiKey }}
              search={{ organizationId, documentId, annotationId }}
            >
              <bdi>{headline}</bdi>
            </AnchorLink>
          )}
          <ClampedText size="xs" c="dimmed">
            <bdi>{documentId}</bdi>: <bdi>{newest?.displayBodyMessage}</bdi>
          </ClampedText>
        </Stack>
        <Group gap="xs" wrap="nowrap" fz="xs">
          {unread > 0 && <Badge tt="none">{`${unread.toLocaleString('en')} unread`}</Badge>}
          {newest !== undefined && <Timestamp at={newest.timestamp} />}
        </Group>
      </Group>
    </li>
  )
}
