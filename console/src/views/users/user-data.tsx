/** Exports and erases the data about a user. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { JobProgress } from '../../components/feedback/job-progress.tsx'
import { Note } from '../../components/feedback/note.tsx'
import { ConfirmByName } from '../../components/forms/confirm-by-name.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { plural } from '../../plural.ts'
import { queryKeyOf } from '../../queries/keys/keys.ts'
import { refetch } from '../../queries/query-client.ts'
import { eraseUsers, erasureQuery, exportUserData } from '../../queries/users/user-data.ts'
import { useKey } from '../../session/use-session.ts'

export function UserData({ userId }: { userId: string }) {
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
      <Text size="sm">All data stored about the user: profile, grants, groups and events.</Text>
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
          Export data
        </Button>
        <PermittedButton needs="user-data.delete" color="red" variant="outline" onClick={ask}>
          Erase…
        </PermittedButton>
      </Group>
      <Text size="xs" c="dimmed" role="status">
        {exporting.isPending && `${plural(pages, 'page')} read…`}
        {exporting.isSuccess && `Exported ${plural(pages, 'page')}.`}
      </Text>
      {erase.data !== undefined && <Erasure jobId={erase.data.jobId} />}
      {asking && (
        <ConfirmByName
          needs="user-data.delete"
          title="Erase user"
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
          <Note tone="danger" Icon={IconTrash} title="This deletes the stored data about the user.">
            Grants and group memberships in every organization of the API key, the profile and all tokens. Events are
            kept, but no longer name the user. This cannot be undone.
          </Note>
          <Text size="sm" mt="xs">
            Sign the user out of your application first: anything granted after this is not erased.
          </Text>
        </ConfirmByName>
      )}
    </Stack>
  )
}

/** Shows the progress of an erasure, and refetches the data of the page when it is done. */
function Erasure({ jobId }: { jobId: string }) {
  const key = useKey()
  const { data, error } = useQuery(erasureQuery(key, jobId))
  const done = data?.isDeleteCompleted === true
  useEffect(() => {
    if (done) void refetch(queryKeyOf(key))
  }, [done, key])
  if (data === undefined) return error === null ? null : <Failure error={error} />
  return <JobProgress label="Erasure progress" doing="Erasing" done="Erased." job={data} error={error} />
}

function save(name: string, content: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
