/** The top of every view: breadcrumbs, heading, introduction and actions. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactElement, type ReactNode, useEffect } from 'react'
import { Breakable } from '../values/breakable.tsx'
import classes from './page.module.css'

interface PageProps {
  /** The title of the page and of the browser tab. */
  title: string
  /** Links to the parents; the title follows them. */
  crumbs?: readonly ReactElement[]
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
          <div className={classes.crumbs}>
            {crumbs.map((crumb) => (
              <span key={crumb.key} className={classes.step}>
                <span className={classes.crumb}>{crumb}</span>
                <span className={classes.separator} aria-hidden>
                  /
                </span>
              </span>
            ))}
            <Text span size="sm" c="dimmed" aria-current="page" className={classes.crumb}>
              <bdi>
                <Breakable>{title}</Breakable>
              </bdi>
            </Text>
          </div>
        </nav>
      )}
      <Group justify="space-between" align="start" gap="sm">
        <Stack gap={4} flex="1 1 18rem" miw={0}>
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            <bdi>
              <Breakable>{title}</Breakable>
            </bdi>
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
