/** What a user is notified of in an organization, by channel; documents can have levels of their own. */
import { NativeSelect, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NotificationLevel } from '#sdk/generated/operations.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { PermittedFields } from '../../components/permitted/permitted-fields.tsx'
import { OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { preferencesQuery, setPreference } from '../../queries/users/preferences.ts'
import { useKey } from '../../session/use-session.ts'

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
      <OrganizationSelect label="Organization" allowDeselect={false} value={organizationId} onChange={choose} />
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
        </>
      )}
    </Stack>
  )
}

function Levels({ userId, organizationId }: { userId: string; organizationId: string }) {
  const key = useKey()
  const { data, error } = useQuery(preferencesQuery(key, organizationId, userId))
  const set = useMutation({
    ...setPreference(key, organizationId, userId),
    onSuccess: () => void notifications.show({ message: 'The level was changed.', role: 'status' }),
    onError: notifyFailure,
  })
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={64} />
  const names = [...new Set([...Object.keys(CHANNELS), ...Object.keys(data.channels)])]
  return (
    <>
      <PermittedFields needs="notification-preferences.set">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {names.map((channel) => (
            <NativeSelect
              key={channel}
              label={<bdi>{CHANNELS[channel] ?? channel}</bdi>}
              value={data.channels[channel] ?? ''}
              data={[
                ...(data.channels[channel] === undefined ? [{ value: '', label: 'Not set' }] : []),
                ...levelsOf(channel),
              ]}
              disabled={set.isPending}
              onChange={({ currentTarget }) => {
                if (currentTarget.value !== '') set.mutate({ [channel]: currentTarget.value as NotificationLevel })
              }}
            />
          ))}
        </SimpleGrid>
      </PermittedFields>
      {data.documents.length > 0 && (
        <Stack gap={4}>
          <Text size="sm">Documents with levels of their own:</Text>
          {data.documents.slice(0, SHOWN_MAX).map(({ documentId, channels }) => (
            <Text key={documentId} size="sm" component="div">
              <ResourceLink organizationId={organizationId} resource={{ type: 'document', id: documentId }} />{' '}
              <bdi>{said(channels)}</bdi>
            </Text>
          ))}
          {data.documents.length > SHOWN_MAX && (
            <Text size="sm" c="dimmed">
              {`and ${(data.documents.length - SHOWN_MAX).toLocaleString()} more`}
            </Text>
          )}
        </Stack>
      )}
    </>
  )
}

const said = (channels: Record<string, string>): string =>
  Object.entries(channels)
    .map(([channel, level]) => {
      const { label = level } = LEVELS.find(({ value }) => value === level) ?? {}
      return `${CHANNELS[channel] ?? channel}: ${label.toLowerCase()}`
    })
    .join(', ')
