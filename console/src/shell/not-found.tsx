/** Shown for URLs that match nothing. */
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ButtonLink } from '../links/links.tsx'

interface NotFoundProps {
  children?: ReactNode
  /** A link to where one goes on from here: the list in which the missing record would be. */
  action?: ReactNode
}

export function NotFound({ children, action }: NotFoundProps) {
  return (
    <Stack align="start" gap="sm" py="xl">
      <Title order={1} size="h2">
        Not found
      </Title>
      <Text maw="40rem">{children ?? 'There is no page at this address.'}</Text>
      {action ?? (
        <ButtonLink to="/" variant="default">
          Go to the start page
        </ButtonLink>
      )}
    </Stack>
  )
}
