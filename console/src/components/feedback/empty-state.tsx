/** Shown in place of data that does not exist yet: says what would be here, and what to do next. */
import { Button, createTheme, Group, MantineThemeProvider, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

const SECONDARY = createTheme({ components: { Button: Button.extend({ defaultProps: { variant: 'default' } }) } })

/** Makes the buttons inside secondary, so that the view or dialog around them keeps one primary action. */
export const Secondary = ({ children }: { children: ReactNode }) => (
  <MantineThemeProvider theme={SECONDARY}>{children}</MantineThemeProvider>
)

interface EmptyStateProps {
  title: string
  /** The next step, in a sentence. */
  children: ReactNode
  action?: ReactNode
  /** The action is the primary one of the view, because no other button is. */
  primary?: boolean
}

export function EmptyState({ title, children, action, primary = false }: EmptyStateProps) {
  return (
    <Stack gap="xs" align="center" py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" maw="28rem">
        {children}
      </Text>
      {action !== undefined && <Group mt="xs">{primary ? action : <Secondary>{action}</Secondary>}</Group>}
    </Stack>
  )
}
