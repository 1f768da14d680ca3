/** The message of a form that failed, with the id of the request. Screen readers announce it, once. */
import { Alert, Group } from '@mantine/core'
import { Copy } from '../components/values/id.tsx'
import type { SignInFailure } from './sign-in-failure.ts'
import classes from './sign-in-view.module.css'

export function FailureAlert({ id, failure }: { id: string; failure: SignInFailure | undefined }) {
  return (
    <div role="alert" id={id}>
      {failure !== undefined && (
        <Alert role="group" color="red" classNames={{ message: classes.failure }}>
          {failure.message}
          {failure.requestId !== undefined && (
            <Group gap={4} mt={4} fz="xs">
              <span>Request {failure.requestId}</span>
              <Copy value={failure.requestId} label="Copy request id" />
            </Group>
          )}
        </Alert>
      )}
    </div>
  )
}
