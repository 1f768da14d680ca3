/** The key that was created, with its secret, which is shown this once. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { CreateApiKeyResult } from '#sdk/generated/operations.ts'
import { CopySecret } from '../../components/copy-secret.tsx'
import { Id } from '../../components/id.tsx'
import { ButtonLink } from '../../shell/links.tsx'

export function CreatedKey({ created: { apiKey, authToken } }: { created: CreateApiKeyResult }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Paper withBorder p="md" maw={760}>
      <Stack gap="md">
        <Title order={2} size="h4" ref={heading} tabIndex={-1}>
          The key is created
        </Title>
        <div>
          <Text size="sm" fw={500}>
            API key
          </Text>
          <Id>{apiKey}</Id>
          <Text size="sm" c="dimmed">
            It names the key and is no secret.
          </Text>
        </div>
        {authToken === undefined ? (
          <Text size="sm">It has no auth token yet: nothing can call with it until you make one.</Text>
        ) : (
          <CopySecret label="Auth token" secret={authToken} />
        )}
        <Group>
          <ButtonLink to="/keys/$apiKey" params={{ apiKey }}>
            Open the key
          </ButtonLink>
          <ButtonLink to="/keys/$apiKey/settings" params={{ apiKey }} variant="default">
            Settings
          </ButtonLink>
        </Group>
      </Stack>
    </Paper>
  )
}
