/** Shows what went wrong, what to do about it, and the request id, which leads to the server's log. */
import { Alert, Group, List, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CommonholdError } from '#sdk/errors.ts'
import { Refused } from '../../queries/pages/batch.ts'
import { SCOPE_ADVICE } from '../../session/permission.ts'
import { Copy } from '../values/id.tsx'
import tones from '../values/tones.module.css'
import { Secondary } from './empty-state.tsx'
import classes from './failure.module.css'
import { inWords, withoutLengths } from './fault-words.ts'

const TITLES: Partial<Record<CommonholdError['status'], string>> = {
  INVALID_ARGUMENT: 'The request is invalid',
  FAILED_PRECONDITION: 'This is not possible right now',
  UNAUTHENTICATED: 'You are no longer signed in',
  PERMISSION_DENIED: 'You do not have permission',
  NOT_FOUND: 'Not found',
  ALREADY_EXISTS: 'It already exists',
  RESOURCE_EXHAUSTED: 'Too many requests',
  UNAVAILABLE: 'The server is unavailable',
  DEADLINE_EXCEEDED: 'The server took too long',
}

const NEXT: Partial<Record<CommonholdError['status'], string>> = {
  ABORTED: 'Somebody else changed this at the same time. Check its current state, then try again.',
  NOT_FOUND: 'Somebody may have deleted it. Go back to the list and reload it.',
  RESOURCE_EXHAUSTED: 'Wait a moment, then try again.',
  UNAVAILABLE: 'Try again in a moment.',
  DEADLINE_EXCEEDED: 'Check whether the change was made, then try again.',
  INTERNAL: 'Give the request id to the operator of the server, who can look it up in the log.',
}

/** The advice by reason, which is more exact than the status. */
const NEXT_OF_REASON: Readonly<Record<string, string>> = {
  scope_missing: SCOPE_ADVICE,
  organization_does_not_exist: 'Somebody may have deleted it. Select another organization.',
  resource_does_not_exist: 'Somebody may have deleted it while this page was open.',
  unreachable: 'Try again when it is back.',
  api_key_disabled: 'It can be enabled again under “API keys”.',
  sign_in_again: 'Choose “Confirm that it is you” in the account menu, then try again.',
}

/** Waiting does not help against every limit. */
const isLimit = ({ status, retryable }: CommonholdError): boolean => status === 'RESOURCE_EXHAUSTED' && !retryable

const nextOf = (error: CommonholdError): string | undefined =>
  NEXT_OF_REASON[error.reason] ?? (isLimit(error) ? undefined : NEXT[error.status])

/** The status with which a call on the one item would have failed. */
const STATUS_OF_CODE: Readonly<Record<NonNullable<Refused['code']>, CommonholdError['status']>> = {
  'already-exists': 'ALREADY_EXISTS',
  'not-found': 'NOT_FOUND',
  'invalid-argument': 'INVALID_ARGUMENT',
  'failed-precondition': 'FAILED_PRECONDITION',
  'permission-denied': 'PERMISSION_DENIED',
}

function titleOf(error: Error): string {
  const title =
    error instanceof Refused
      ? error.code && TITLES[STATUS_OF_CODE[error.code]]
      : !(error instanceof CommonholdError)
        ? undefined
        : isLimit(error)
          ? 'This is more than the limit'
          : error.reason === 'api_key_disabled'
            ? 'This API key cannot be used'
            : TITLES[error.status]
  return title ?? 'Something went wrong'
}

/** In place of explanations that name calls of the API, or are for those who write programs. */
const EXPLANATION_OF_REASON: Readonly<Record<string, string>> = {
  operator_exists:
    'The address belongs to a person who has already signed in. Change their role in the list of people.',
  last_workspace_token:
    'This is the only token of the workspace that does not expire; revoking it could lock everyone out. First create another token without an expiry, or replace all tokens.',
  unreachable: 'Your browser cannot reach the server: it may be restarting, or you may be offline.',
}

/** Returns the message of an error for people: without the name of the call that failed. */
export function explanationOf(error: Error): string {
  if (!(error instanceof CommonholdError)) return error.message
  const [fault] = withoutLengths(error.faults)
  return fault === undefined ? (EXPLANATION_OF_REASON[error.reason] ?? error.explanation) : inWords(fault)
}

interface FailureProps {
  error: Error
  /** The advice about it, where the status gives none. */
  next?: string | undefined
  action?: ReactNode
}

export function Failure({ error, next, action }: FailureProps) {
  return (
    <Alert
      role="alert"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={titleOf(error)}
      classNames={{ title: tones.danger, message: tones.danger }}
    >
      <Stack gap="xs" align="start">
        <FailureText error={error} next={next} />
        {action !== undefined && <Secondary>{action}</Secondary>}
      </Stack>
    </Alert>
  )
}

/** The fault of a form. Its place is there before the fault is, so that screen readers announce it, once. */
export function FormFault({ children }: { children?: ReactNode }) {
  return (
    <div role="alert">
      {children !== undefined && (
        <Alert role="group" color="red">
          {children}
        </Alert>
      )}
    </div>
  )
}

function FailureText({ error, next: given }: Omit<FailureProps, 'action'>) {
  const known = error instanceof CommonholdError ? error : undefined
  const next = given ?? (known && nextOf(known))
  const faults = withoutLengths(known?.faults ?? [])
  return (
    <Stack gap={4} align="start">
      {/* The explanation repeats the first fault. */}
      {faults.length < 2 ? (
        <Text size="sm" className={classes.text}>
          {explanationOf(error)}
        </Text>
      ) : (
        <List size="sm">
          {faults.map((fault) => (
            <List.Item key={`${fault.field} ${fault.message}`} className={classes.text}>
              {inWords(fault)}
            </List.Item>
          ))}
        </List>
      )}
      {next !== undefined && <Text size="sm">{next}</Text>}
      {known?.requestId !== undefined && (
        <Group gap={4} fz="xs">
          <span>Request {known.requestId}</span>
          <Copy value={known.requestId} label="Copy request id" />
        </Group>
      )}
    </Stack>
  )
}

/** Shows the error as a notification, for actions outside a form: `onError: notifyFailure`. */
export function notifyFailure(error: Error): void {
  notifications.show({
    color: 'red',
    autoClose: 12_000,
    role: 'alert',
    title: titleOf(error),
    message: <FailureText error={error} />,
    classNames: { description: tones.danger },
  })
}
