/**
 * The levels of notifications of a user in an organization by channel, including documents with levels of their own,
 * and the inbox and the mails of the user there.
 */
import { NativeSelect, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NotificationLevel } from '#sdk/generated/operations.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { CommentMails } from '../../components/people/comment-mails.tsx'
import { PermittedFields } from '../../components/permitted/permitted.tsx'
import { OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { Picker } from '../../components/search/picker.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { placeKey, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { preferencesQuery, setPreference } from '../../queries/users/preferences.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { Inbox } from './inbox.tsx'

const LEVELS = [
  { value: 'ALL', label: 'Everything' },
  { value: 'MINE', label: 'Mentions and replies' },
  { value: 'DIGEST', label: 'Mentions and replies, once a day' },
  { value: 'NONE', label: 'Nothing' },
]

/** The inbox has everything at once. */
const levelsOf = (channel: string) => LEVELS.filter(({ value }) => value !== 'DIGEST' || channel !== 'inbox')

const CHANNELS: Record<string, string> = { inbox: 'Inbox', email: 'E-mail', slack: 'Slack' }
const SHOWN_MAX = 20

interface NotificationLevelsProps {
  userId: string
  /** An organization of the user, if one is known. */
  known: string | undefined
}

export function NotificationLevels({ userId, known }: NotificationLevelsProps) {
  const key = useKey()
  const [chosen, choose] = useState<string>()
  const organizationId = chosen ?? known ?? ''
  return (
    <Stack gap="sm">
      <OrganizationSelect label="Organization" value={organizationId} onChange={choose} />
      {organizationId !== '' && (
        <>
          <Levels key={organizationId} userId={userId} organizationId={organizationId} />
          <Text size="sm">
            <AnchorLink
              size="sm"
              to="/keys/$apiKey/threads"
              params={{ apiKey: key.id }}
              search={{ organizationId, userId }}
            >
              Threads of this user
            </AnchorLink>
          </Text>
          <Title order={3} size="h5">
            Inbox
          </Title>
          <Inbox key={`inbox ${organizationId}`} userId={userId} organizationId={organizationId} />
          <Title order={3} size="h5">
            Mails about comments
          </Title>
          <CommentMails question={{ organizationId, userId }} />
        </>
      )}
    </Stack>
  )
}

function Levels({ userId, organizationId }: { userId: string; organizationId: string }) {
  const key = useKey()
  const { data, error } = useQuery(preferencesQuery(key, organizationId, userId))
  const [added, add] = useState<readonly string[]>([])
  const stored = new Map(data?.documents.map(({ documentId, channels }) => [documentId, channels]))
  const documents = [...new Set([...added, ...stored.keys()])]
  const places = documents.slice(0, SHOWN_MAX).map((id) => ({ type: 'document' as const, id }))
  const { data: names } = useQuery(resourceNamesQuery(key, organizationId, places))
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={64} />
  return (
    <>
      <ChannelLevels userId={userId} organizationId={organizationId} channels={data.channels} />
      {documents.length > 0 && <Text size="sm">Documents with levels of their own:</Text>}
      {places.map((place) => {
        const name = names?.get(placeKey(place))
        return (
          <Stack key={place.id} gap={4} role="group" aria-label={shownName(name, place.id)}>
            <ResourceLink
              organizationId={organizationId}
              resource={{ ...place, ...(name !== undefined && { name }) }}
            />
            <ChannelLevels
              userId={userId}
              organizationId={organizationId}
              documentId={place.id}
              channels={stored.get(place.id) ?? {}}
            />
          </Stack>
        )
      })}
      {documents.length > SHOWN_MAX && (
        <Text size="sm" c="dimmed">
          {`and ${(documents.length - SHOWN_MAX).toLocaleString('en')} more`}
        </Text>
      )}
      <PermittedFields needs="notification-preferences.set">
        <Picker
          label="Levels of a document"
          description="Pick a document to set levels that take precedence over those of the organization."
          placeholder="Document"
          kinds={['document']}
          typedKind="document"
          organizationId={organizationId}
          value={undefined}
          onChange={(picked) => picked !== undefined && add([picked.id, ...added.filter((id) => id !== picked.id)])}
        />
      </PermittedFields>
    </>
  )
}

interface ChannelLevelsProps {
  userId: string
  organizationId: string
  /** Absent: the levels of the organization. */
  documentId?: string
  channels: Record<string, string>
}

function ChannelLevels({ userId, organizationId, documentId, channels }: ChannelLevelsProps) {
  const set = useMutation({
    ...setPreference(useKey(), organizationId, userId, documentId),
    onSuccess: () => void notifications.show({ message: 'The level was changed.', role: 'status' }),
    onError: notifyFailure,
  })
  const names = [...new Set([...Object.keys(CHANNELS), ...Object.keys(channels)])]
  const unset = documentId === undefined ? 'Not set' : 'As in the organization'
  return (
    <PermittedFields needs="notification-preferences.set">
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {names.map((channel) => (
          <NativeSelect
            key={channel}
            label={<bdi>{CHANNELS[channel] ?? channel}</bdi>}
            value={channels[channel] ?? ''}
            data={[...(channels[channel] === undefined ? [{ value: '', label: unset }] : []), ...levelsOf(channel)]}
            disabled={set.isPending}
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') set.mutate({ [channel]: currentTarget.value as NotificationLevel })
            }}
          />
        ))}
      </SimpleGrid>
    </PermittedFields>
  )
}
