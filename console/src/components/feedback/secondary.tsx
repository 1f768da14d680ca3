/** Makes the buttons inside secondary, so that the view or dialog around them keeps one primary action. */
import { Button, createTheme, MantineThemeProvider } from '@mantine/core'
import type { ReactNode } from 'react'

const SECONDARY = createTheme({ components: { Button: Button.extend({ defaultProps: { variant: 'default' } }) } })

export const Secondary = ({ children }: { children: ReactNode }) => (
  <MantineThemeProvider theme={SECONDARY}>{children}</MantineThemeProvider>
)
