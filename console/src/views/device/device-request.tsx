/** The machine that requests to be signed in, and the two answers. Warns of requests that others may have started. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CommonholdError } from '#sdk/errors.ts'
import type { DeviceRequest, SignedInOperator } from '#sdk/session.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Outcome } from '../../components/feedback/outcome.tsx'
import { Section } from '../../components/page/section.tsx'
import { Facts } from '../../components/values/facts.tsx'
import { programOf } from '../../components/values/program.ts'
import { answerDeviceRequest } from '../../queries/account/device.ts'
import { ConfirmDialog } from '../../sign-in/confirm-dialog.tsx'

interface DeviceRequestProps {
  userCode: string
  machine: DeviceRequest
  operator: SignedInOperator
}

export function DeviceRequestAnswer({ userCode, machine, operator }: DeviceRequestProps) {
  const [confirming, setConfirming] = useState(false)
  const reply = useMutation(answerDeviceRequest)
  const { data: isAnswered, variables, error } = reply
  if (isAnswered !== undefined) return <Answered isAnswered={isAnswered} isApproved={variables?.answer === 'approve'} />
  const needsConfirmation = error instanceof CommonholdError && error.reason === 'sign_in_again'
  const give = (answer: 'approve' | 'deny') => () => reply.mutate({ userCode, answer })
  return (
    <Stack maw="44rem">
      <Section
        title="Is this you, on this machine?"
        intro="Approve only a sign-in that you have just started yourself."
      >
        <Facts
          label="Machine"
          facts={[
            ['Machine', <bdi key="machine">{machine.machine}</bdi>],
            ['Address', `${machine.address}${machine.isSameAddress ? ', the same as this browser' : ''}`],
            ['Program', <bdi key="program">{programOf(machine.userAgent)}</bdi>],
            [
              'Signs in as',
              <span key="person">
                <bdi>{operator.name}</bdi>, {operator.role}
              </span>,
            ],
          ]}
        />
        {!machine.isSameAddress && (
          <Alert color="yellow" title="It may be on another network than this browser">
            <Text size="sm" c="var(--mantine-color-text)">
              That is usual for a server that you use over SSH. If somebody sent you the code, refuse: they would act as
              you.
            </Text>
          </Alert>
        )}
        {error !== null && (
          <Failure
            error={error}
            action={needsConfirmation && <Button onClick={() => setConfirming(true)}>Confirm that it is you</Button>}
          />
        )}
        <Group>
          <Button onClick={give('approve')} loading={reply.isPending}>
            Sign in this machine
          </Button>
          <Button variant="default" onClick={give('deny')} disabled={reply.isPending}>
            Refuse
          </Button>
        </Group>
        {confirming && (
          <ConfirmDialog
            onClose={() => {
              setConfirming(false)
              reply.reset()
            }}
          />
        )}
      </Section>
    </Stack>
  )
}

function Answered({ isAnswered, isApproved }: { isAnswered: boolean; isApproved: boolean }) {
  const [title, text] = !isAnswered
    ? ['Too late', 'The code has expired, or was answered elsewhere. Start again with commonhold login.']
    : isApproved
      ? ['Signed in', 'Return to the command line, which continues within seconds. Its session is in “Your account”.']
      : ['Refused', 'Nobody was signed in. If somebody sent you the code, tell your colleagues.']
  return (
    <Stack role="status">
      <Outcome good={isAnswered} title={title ?? ''}>
        {text}
      </Outcome>
    </Stack>
  )
}
