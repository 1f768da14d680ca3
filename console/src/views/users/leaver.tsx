/** Revokes all access of a user who leaves in the API key, and shows that nothing is left. */
import { Checkbox, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { holdsNothing } from '#sdk/shared/revocation-preview.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { JobProgress } from '../../components/feedback/job-progress.tsx'
import { Outcome } from '../../components/feedback/outcome.tsx'
import { ConfirmByName } from '../../components/forms/confirm-by-name.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { plural } from '../../plural.ts'
import { queryKeyOf } from '../../queries/keys/keys.ts'
import { refetch } from '../../queries/query-client.ts'
import { revocationPreviewQuery, revocationQuery, revokeUserAccess } from '../../queries/users/user-access.ts'
import { useKey } from '../../session/use-session.ts'
import { HeldList, PublicList } from './leaver-preview.tsx'

/** `name` is the title of the page: the name of the user, or the id of a user without a name. */
export function Leaver({ userId, name }: { userId: string; name: string }) {
  const [asking, { open: ask, close }] = useDisclosure()
  const [jobId, setJobId] = useState<string>()
  return (
    <Stack gap="xs" align="start">
      <Text size="sm">
        Removes the user from everything: all grants and groups in every organization of the key, and all tokens. The
        profile is kept.
      </Text>
      <PermittedButton needs="user-access.revoke" color="red" variant="outline" onClick={ask}>
        Remove all access…
      </PermittedButton>
      {jobId !== undefined && <Revocation key={jobId} userId={userId} jobId={jobId} />}
      {asking && (
        <RemoveAllAccess
          userId={userId}
          name={name}
          onStart={(started) => {
            setJobId(started)
            close()
          }}
          onClose={close}
        />
      )}
    </Stack>
  )
}

interface RemoveAllAccessProps {
  userId: string
  name: string
  onStart: (jobId: string) => void
  onClose: () => void
}

/** Shows the access that would be removed and the resources that stay public, and asks for a confirmation. */
function RemoveAllAccess({ userId, name, onStart, onClose }: RemoveAllAccessProps) {
  const key = useKey()
  const { data: preview, error } = useQuery(revocationPreviewQuery(key, userId))
  const [disable, setDisable] = useState(true)
  const revoke = useMutation({ ...revokeUserAccess(key), onSuccess: onStart })
  const isDisabled = preview?.held.disabled === true
  return (
    <ConfirmByName
      needs="user-access.revoke"
      title="Remove all access of the user"
      name={name}
      action="Remove all access"
      busy={revoke.isPending}
      error={revoke.error ?? error}
      onConfirm={() => revoke.mutate({ userIds: [userId], disable: disable && !isDisabled })}
      onClose={onClose}
    >
      <Stack gap="sm">
        {preview === undefined ? (
          <Text size="sm" role="status">
            {error === null
              ? 'Counting grants and groups in all organizations…'
              : 'The grants and groups could not be counted.'}
          </Text>
        ) : (
          <>
            <HeldList held={preview.held} isRemoved />
            <PublicList open={preview.public} isDisabled={isDisabled || disable} />
          </>
        )}
        {!isDisabled && (
          <Checkbox
            label="Also disable the user"
            description="Blocks all access to the data set of this key at once, including public resources."
            checked={disable}
            onChange={({ currentTarget }) => setDisable(currentTarget.checked)}
          />
        )}
        <Text size="sm">
          User tokens are revoked at once. Grants and groups cannot be restored with one click. Sign the user out of
          your application first: grants made after this are not removed.
        </Text>
      </Stack>
    </ConfirmByName>
  )
}

/** Shows the progress of the job; when it is complete, the removed access, and from another dry run the remaining access. */
function Revocation({ userId, jobId }: { userId: string; jobId: string }) {
  const key = useKey()
  const { data: job, error } = useQuery(revocationQuery(key, jobId))
  const isDone = job?.status === 'completed'
  useEffect(() => {
    if (isDone) void refetch(queryKeyOf(key))
  }, [isDone, key])
  if (job === undefined) return error === null ? null : <Failure error={error} />
  const { grants, userGroups } = job.removed
  const done = `Removed ${plural(grants, 'grant')} and ${plural(userGroups, 'group membership')}. All user tokens were revoked.`
  return (
    <>
      <JobProgress label="Removal progress" doing="Removing" done={done} job={job} error={error} />
      {isDone && <WhatIsLeft userId={userId} jobId={jobId} />}
    </>
  )
}

function WhatIsLeft({ userId, jobId }: { userId: string; jobId: string }) {
  const { data, error } = useQuery(revocationPreviewQuery(useKey(), userId, jobId))
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return null
  const isGone = holdsNothing(data.held)
  return (
    <Outcome good={isGone} title={isGone ? 'Nothing is left' : 'The user was granted access meanwhile'}>
      <Stack gap="xs">
        <HeldList held={data.held} />
        <PublicList open={data.public} isDisabled={data.held.disabled} />
      </Stack>
    </Outcome>
  )
}
