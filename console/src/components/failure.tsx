/** What went wrong, what to do about it, and the request id, with which the log of the server tells more. */
import { Alert, Group, List, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CommonholdError } from '#sdk/errors.ts'
import classes from './failure.module.css'
import { Copy } from './id.tsx'

const TITLES: Partial<Record<CommonholdError['status'], string>> = {
  INVALID_ARGUMENT: 'That is not possible as it was entered',
  FAILED_PRECONDITION: 'That is not possible now',
  UNAUTHENTICATED: 'You are not signed in any more',
  PERMISSION_DENIED: 'You may not do that',
  NOT_FOUND: 'That is not there',
  ALREADY_EXISTS: 'That is there already',
  RESOURCE_EXHAUSTED: 'Too much at once',
  UNAVAILABLE: 'The server cannot answer now',
  DEADLINE_EXCEEDED: 'The server took too long',
}

const NEXT: Partial<Record<CommonholdError['status'], string>> = {
  ABORTED: 'Somebody changed the same thing at this moment. Look at what is there now, then try again.',
  NOT_FOUND: 'Somebody may have deleted it meanwhile. Go back to the list and read it again.',
  RESOURCE_EXHAUSTED: 'Wait a little, then try again.',
  UNAVAILABLE: 'Try again in a moment.',
  DEADLINE_EXCEEDED: 'Look whether it was done, then try again.',
  INTERNAL: 'Give the request id to whoever runs the server: the log tells more.',
}

const SCOPE_MISSING = 'Sign in with a token that has the scope, or with the workspace.'

function nextOf({ status, reason }: CommonholdError): string | undefined {
  return reason === 'scope_missing' ? SCOPE_MISSING : NEXT[status]
}

interface FailureProps {
  error: Error
  action?: ReactNode
}

export function Failure({ error, action }: FailureProps) {
  const known = error instanceof CommonholdError ? error : undefined
  return (
    <Alert
      role="alert"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={(known && TITLES[known.status]) ?? 'Something went wrong'}
      classNames={{ title: classes.title, message: classes.message }}
    >
      <Stack gap="xs" align="start">
        <FailureText error={error} />
        {action}
      </Stack>
    </Alert>
  )
}

function FailureText({ error }: { error: Error }) {
  const known = error instanceof CommonholdError ? error : undefined
  const next = known && nextOf(known)
  const faults = known?.faults ?? []
  return (
    <Stack gap={4} align="start">
      {/* The message says the first of them. */}
      {faults.length < 2 ? (
        <Text size="sm" className={classes.text}>
          {error.message}
        </Text>
      ) : (
        <List size="sm">
          {faults.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`} className={classes.text}>
              {message}
            </List.Item>
          ))}
        </List>
      )}
      {next !== undefined && <Text size="sm">{next}</Text>}
      {known?.requestId !== undefined && (
        <Group gap={4} fz="xs">
          <span>Request {known.requestId}</span>
          <Copy value={known.requestId} label="Copy the request id" />
        </Group>
      )}
    </Stack>
  )
}

/** For changes that were made from where there is no room for more: `onError: notifyFailure`. */
export function notifyFailure(error: Error): void {
  const known = error instanceof CommonholdError ? error : undefined
  notifications.show({
    color: 'red',
    autoClose: 12_000,
    role: 'alert',
    title: (known && TITLES[known.status]) ?? 'Something went wrong',
    message: <FailureText error={error} />,
    classNames: { description: classes.message },
  })
}
