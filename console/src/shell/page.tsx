/** What every view begins with: where one is, the heading, and what can be done here. */
import { Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import classes from './page.module.css'

interface PageProps {
  /** Also the title of the tab. */
  title: string
  /** What is above, as links; the title follows them. */
  crumbs?: readonly ReactNode[]
  /** Under the heading: what the view is for, in a sentence. */
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
        <Stack gap={4} flex="1 1 14rem" miw={0}>
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
