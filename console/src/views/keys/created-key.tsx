/** Shows a new API key and its secret, which is shown only once. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { CreateApiKeyResult } from '#sdk/generated/operations.ts'
import { CopySecret } from '../../components/secrets/copy-secret.tsx'
import { Id } from '../../components/values/id.tsx'
import { ButtonLink } from '../../links/links.tsx'

export function CreatedKey({ created: { apiKey, authToken } }: { created: CreateApiKeyResult }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Paper withBorder p="md" maw={760}>
      <Stack gap="md">
        <Title order={2} size="h4" ref={heading} tabIndex={-1}>
          API key created
        </Title>
        <div>
          <Text size="sm" fw={500}>
            API key
          </Text>
          <Id>{apiKey}</Id>
          <Text size="sm" c="dimmed">
            It identifies the key and is not secret.
          </Text>
        </div>
        {authToken === undefined ? (
          <Text size="sm">The key has no auth token yet. Create one before you call the API with it.</Text>
        ) : (
          <CopySecret label="Auth token" secret={authToken} />
        )}
        <Group>
          <ButtonLink to="/keys/$apiKey" params={{ apiKey }}>
            Open API key
          </ButtonLink>
          <ButtonLink to="/keys/$apiKey/settings" params={{ apiKey }} variant="default">
            Settings
          </ButtonLink>
        </Group>
      </Stack>
    </Paper>
  )
}
