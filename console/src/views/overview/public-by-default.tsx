/** Says that documents are open to everyone unless somebody restricts them. */
import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { AnchorLink } from '../../shell/links.tsx'

export function PublicByDefault({ apiKey }: { apiKey: string }) {
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title="Documents are public by default"
      c="var(--mantine-color-text)"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      Every user of this API key can edit documents and folders without an access type of their own.{' '}
      <AnchorLink to="/keys/$apiKey/settings" params={{ apiKey }} size="sm" underline="always">
        Change the default access type
      </AnchorLink>
    </Alert>
  )
}
