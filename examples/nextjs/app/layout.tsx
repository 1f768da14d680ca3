/** The frame of all pages. */
import type { ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" style={{ colorScheme: 'light dark', fontFamily: 'system-ui, sans-serif' }}>
      <head>
        <title>Roadmap</title>
        <link rel="icon" href="data:," />
      </head>
      <body>{children}</body>
    </html>
  )
}
