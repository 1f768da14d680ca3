/** The signing secret of an endpoint: shown on request, and rotated with an overlap in which both secrets sign. */
import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { DoneDialog } from '../../components/forms/done-dialog.tsx'
import { DurationInput, formatDuration } from '../../components/forms/duration-input.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { CopySecret } from '../../components/secrets/copy-secret.tsx'
import { getWebhookSecret, rotateWebhookSecret } from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'

const DAY = 86_400

export function EndpointSecret({ endpointId }: { endpointId: string }) {
  const key = useKey()
  const [rotating, setRotating] = useState(false)
  const secret = useMutation(getWebhookSecret(key))
  return (
    <Section
      title="Secret"
      intro="The receiver uses it to verify that a message comes from this server."
      actions={
        <>
          {secret.data === undefined ? (
            <PermittedButton
              needs="webhook-secrets.get"
              variant="default"
              loading={secret.isPending}
              onClick={() => secret.mutate(endpointId)}
            >
              Show secret
            </PermittedButton>
          ) : (
            <Button variant="default" onClick={secret.reset}>
              Hide
            </Button>
          )}
          <PermittedButton needs="webhook-secrets.rotate" variant="default" onClick={() => setRotating(true)}>
            Rotate
          </PermittedButton>
        </>
      }
    >
      {secret.error !== null && <Failure error={secret.error} />}
      {secret.data !== undefined && <CopySecret label="Secret" secret={secret.data} once={false} />}
      {rotating && (
        <Rotate
          endpointId={endpointId}
          onClose={() => {
            secret.reset()
            setRotating(false)
          }}
        />
      )}
    </Section>
  )
}

function Rotate({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [gracePeriodSeconds, setGracePeriod] = useState(DAY)
  const rotate = useMutation(rotateWebhookSecret(useKey()))
  const overlap =
    gracePeriodSeconds === 0 ? 'expires immediately' : `keeps signing for ${formatDuration(gracePeriodSeconds)}`
  if (rotate.data !== undefined)
    return (
      <DoneDialog title="Rotate secret" onClose={onClose}>
        <CopySecret label="New secret" secret={rotate.data} once={false} />
        <Text size="sm">Give it to the receiver. The old secret {overlap}.</Text>
      </DoneDialog>
    )
  return (
    <FormDialog
      needs="webhook-secrets.rotate"
      title="Rotate secret"
      action="Rotate"
      error={rotate.error}
      busy={rotate.isPending}
      onSubmit={() => rotate.mutate({ endpointId, gracePeriodSeconds })}
      onClose={onClose}
    >
      <Text size="sm">
        A new secret is created, and the old secret {overlap}. During the overlap, messages carry a signature of each,
        so that you can switch the receiver without losing any.
      </Text>
      <DurationInput
        label="Old secret keeps signing for"
        description="0 expires it immediately. The maximum is 7 days. An even older secret always expires immediately."
        seconds={gracePeriodSeconds}
        max={7 * DAY}
        onChange={setGracePeriod}
      />
    </FormDialog>
  )
}
