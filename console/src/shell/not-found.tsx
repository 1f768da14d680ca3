/** Shown for URLs that match nothing. */
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ButtonLink } from '../links/links.tsx'

interface NotFoundProps {
  children?: ReactNode
  /** Where one goes on from here. */
  to?: '/' | '/keys'
  label?: string | undefined
}

export function NotFound({ children, to = '/', label = 'Go to the start page' }: NotFoundProps) {
  return (
    <Stack align="start" gap="sm" py="xl">
      <Title order={1} size="h2">
        Not found
      </Title>
      <Text maw="40rem">{children ?? 'There is no page at this address.'}</Text>
      <ButtonLink to={to} variant="default">
        {label}
      </ButtonLink>
    </Stack>
  )
}
