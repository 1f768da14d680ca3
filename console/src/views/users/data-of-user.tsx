/** Giving a user's data away as a file, and erasing it for good. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ConfirmByName } from '../../components/confirm-by-name.tsx'
import { Failure, notifyFailure } from '../../components/failure.tsx'
import { ofKey } from '../../queries/keys.ts'
import { eraseUsers, erasureQuery, exportUserData } from '../../queries/user-data.ts'
import { queryClient } from '../../query-client.ts'
import { useKey } from '../../session/use-session.ts'

export function DataOfUser({ userId }: { userId: string }) {
  const key = useKey()
  const [pages, setPages] = useState(0)
  const [asking, { open: ask, close }] = useDisclosure()
  const exporting = useMutation({
    ...exportUserData(key, setPages),
    onSuccess: (found) => save(`${userId.replace(/[^\w.-]+/g, '_')}.json`, found),
    onError: notifyFailure,
  })
  const erase = useMutation({ ...eraseUsers(key), onSuccess: close })
  return (
    <Stack gap="xs" align="start">
      <Text size="sm">Everything that is held about the user: the profile, grants, groups and events.</Text>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={exporting.isPending}
          onClick={() => {
            setPages(0)
            exporting.mutate(userId)
          }}
        >
          Export as a file
        </Button>
        <Button color="red" variant="outline" onClick={ask}>
          Erase…
        </Button>
      </Group>
      <Text size="xs" c="dimmed" role="status">
        {exporting.isPending && `${pages.toLocaleString()} pages read…`}
        {exporting.isSuccess && `Exported, ${pages.toLocaleString()} ${pages === 1 ? 'page' : 'pages'} read.`}
      </Text>
      {erase.data !== undefined && <Erasure jobId={erase.data.jobId} />}
      {asking && (
        <ConfirmByName
          title="Erase the user"
          name={userId}
          action="Erase"
          busy={erase.isPending}
          error={erase.error}
          onConfirm={() => erase.mutate({ userIds: [userId] })}
          onClose={() => {
            erase.reset()
            close()
          }}
        >
          In every organization of the API key the grants and the places in groups go, then the profile and all tokens.
          Events keep what happened, but no longer to whom. This cannot be undone. End the sign-ins in your application
          first: what is granted later stays.
        </ConfirmByName>
      )}
    </Stack>
  )
}

/** How far it is; when it is done what is on the page is read again. */
function Erasure({ jobId }: { jobId: string }) {
  const key = useKey()
  const { data, error } = useQuery(erasureQuery(key, jobId))
  const done = data?.isDeleteCompleted === true
  useEffect(() => {
    if (!done) return
    for (const part of ['user-data', 'profiles', 'users', 'permitted-resources', 'user-groups', 'events'])
      void queryClient.invalidateQueries({ queryKey: ofKey(key, part) })
  }, [done, key])
  if (data === undefined) return error === null ? null : <Failure error={error} />
  const { percent, tasksCount, tasksLeft } = data
  return (
    <Stack gap={4} w="100%">
      <Progress value={percent} aria-label="How much is erased" />
      <Text size="sm" role="status">
        {done
          ? 'Erased.'
          : `Erasing: ${(tasksCount - tasksLeft).toLocaleString()} of ${tasksCount.toLocaleString()} done.`}
      </Text>
      {error !== null && <Failure error={error} />}
    </Stack>
  )
}

function save(name: string, content: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
