/** Shown for URLs that match nothing. */
import { Stack, Text, Title } from '@mantine/core'
import { ButtonLink } from '../links/links.tsx'

export function NotFound({ children = 'There is no page at this address.' }: { children?: string }) {
  return (
    <Stack align="start" gap="sm" py="xl">
      <Title order={1} size="h2">
        Not found
      </Title>
      <Text>{children}</Text>
      <ButtonLink to="/" variant="default">
        Go to the start page
      </ButtonLink>
    </Stack>
  )
}
