/** Shows a secret, masked until it is revealed, with a button that copies it. It is gone when the dialog closes. */
import { Button, CopyButton, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopySecretProps {
  label: string
  secret: string
  /** False when the secret can be shown again later. */
  once?: boolean
  /** Says what to do with it. */
  advice?: string
}

export function CopySecret({
  label,
  secret,
  once = true,
  advice = 'Store it where you keep your secrets.',
}: CopySecretProps) {
  return (
    <Stack gap={4}>
      <Group align="end" gap="xs" wrap="nowrap">
        <PasswordInput
          flex={1}
          label={label}
          value={secret}
          readOnly
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show secret' }}
        />
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              data-autofocus
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" c="dimmed">
        {once && 'It is shown only once. '}
        {advice}
      </Text>
    </Stack>
  )
}
