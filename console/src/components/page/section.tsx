/** A part of a view with a heading of its own. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  /** One sentence about its purpose. */
  intro?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

export function Section({ title, intro, actions, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Stack gap="md">
        <Group justify="space-between" align="start" gap="sm">
          <Stack gap={2} flex={1} miw={220}>
            <Title order={2} size="h4">
              {title}
            </Title>
            {intro !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {intro}
              </Text>
            )}
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
