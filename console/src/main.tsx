/** Starts the console: sets up the theme, the queries and the router. */
import './page-data.ts'
import './mantine.css'
import '@mantine/notifications/styles.layer.css'
import './tokens.css'
import './global.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { STYLE_NONCE } from './page-data.ts'
import { queryClient } from './queries/query-client.ts'
import { router } from './router.tsx'
import { cssVariables, theme } from './theme.ts'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => STYLE_NONCE}
      cssVariablesResolver={cssVariables}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
