/** The top of every view: breadcrumbs, heading, introduction and actions. */
import { Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import classes from './page.module.css'

interface PageProps {
  /** Also the title of the browser tab. */
  title: string
  /** Links to the parents; the title follows them. */
  crumbs?: readonly ReactNode[]
  /** Below the heading: one sentence about the purpose of the view. */
  intro?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, crumbs = [], intro, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Commonhold`
  }, [title])
  return (
    <Stack gap="md">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs fz="sm" classNames={{ breadcrumb: classes.crumb }} style={{ rowGap: 4 }}>
            {crumbs}
            <Text span size="sm" c="dimmed" aria-current="page">
              <bdi>{title}</bdi>
            </Text>
          </Breadcrumbs>
        </nav>
      )}
      <Group justify="space-between" align="start" gap="sm">
        <Stack gap={4} flex="1 1 18rem" miw={0}>
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{title}</bdi>
          </Title>
          {intro !== undefined && (
            <Text c="dimmed" size="sm">
              {intro}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
