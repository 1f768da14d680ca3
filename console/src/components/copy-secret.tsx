/** A secret that is shown, most often once: hidden until one asks, copied with a button, and gone when what shows it is closed. */
import { Button, CopyButton, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopySecretProps {
  label: string
  secret: string
  /** False: it can be shown again. */
  once?: boolean
}

export function CopySecret({ label, secret, once = true }: CopySecretProps) {
  return (
    <Stack gap={4}>
      <Group align="end" gap="xs" wrap="nowrap">
        <PasswordInput
          flex={1}
          label={label}
          value={secret}
          readOnly
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
        />
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" c="dimmed">
        {once && 'It is shown this once. '}Keep it where your secrets are kept.
      </Text>
    </Stack>
  )
}
