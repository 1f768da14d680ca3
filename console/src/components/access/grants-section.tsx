/** A list of scanned grants with a heading, and a sentence about it that says when not all grants were scanned. */
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ScannedGrants } from '../../queries/access/use-scanned-grants.ts'

interface GrantsSectionProps {
  title: string
  /** Names the section for screen readers. */
  label: string
  /** The level of the heading. */
  level: 2 | 3
  intro: string
  scan: ScannedGrants
  children: ReactNode
}

export function GrantsSection({ title, label, level, intro, scan, children }: GrantsSectionProps) {
  return (
    <Stack gap="xs" component="section" aria-label={label}>
      <div>
        <Title order={level} size={level === 2 ? 'h4' : 'h5'}>
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {intro}
          {scan.hasMore && ` ${scan.grants.length.toLocaleString('en')} grants of the organization were scanned.`}
        </Text>
      </div>
      {children}
    </Stack>
  )
}
