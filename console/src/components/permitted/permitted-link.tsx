/** A link that looks like a button and leads to an action that not everybody may do: for the others it is disabled, and says why. */
import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { type About, attributesOf, type Needs, useRefusal } from '../../session/permission.ts'
import { Refused, refusedProps } from './refused.tsx'

type AnchorProps = Omit<ComponentProps<'a'>, 'style' | 'color'> & ButtonProps & Pick<About, 'apiKey'> & { needs: Needs }

export const PermittedLink = createLink(({ needs, apiKey, ...props }: AnchorProps) => {
  const refusal = useRefusal(needs, { apiKey })
  if (refusal === undefined) return <Button component="a" {...attributesOf(needs, { apiKey })} {...props} />
  const { leftSection, variant, size, children } = props
  return (
    <Refused refusal={refusal}>
      <Button {...attributesOf(needs, { apiKey })} {...{ leftSection, variant, size, children }} {...refusedProps} />
    </Refused>
  )
})
