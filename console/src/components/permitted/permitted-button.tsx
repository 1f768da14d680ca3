/** Buttons of actions that not everybody may do: for the others they are disabled, and say why and whom to ask. */
import { ActionIcon, type ActionIconProps, Button, type ButtonProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { type About, attributesOf, type Needs, useRefusal } from '../../session/permission.ts'
import { Refused, refusedProps } from './permitted.tsx'

type OfButton = Omit<ComponentProps<'button'>, 'style' | 'color'>

type Permitted = About & { needs: Needs }

export function PermittedButton({ needs, apiKey, keyType, least, ...props }: Permitted & OfButton & ButtonProps) {
  const about = { apiKey, keyType, least }
  const refusal = useRefusal(needs, about)
  const marks = attributesOf(needs, about)
  if (refusal === undefined) return <Button {...marks} {...props} />
  return (
    <Refused refusal={refusal}>
      <Button {...marks} {...props} {...refusedProps} disabled={false} />
    </Refused>
  )
}

export function PermittedIconButton({
  needs,
  apiKey,
  keyType,
  least,
  ...props
}: Permitted & OfButton & ActionIconProps) {
  const about = { apiKey, keyType, least }
  const refusal = useRefusal(needs, about)
  const marks = attributesOf(needs, about)
  if (refusal === undefined) return <ActionIcon {...marks} {...props} />
  return (
    <Refused refusal={refusal}>
      <ActionIcon {...marks} {...props} {...refusedProps} disabled={false} />
    </Refused>
  )
}
