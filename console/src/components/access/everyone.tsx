/** Marks resources that are open to everyone: the same colour, icon and word in lists, forms and notes. */
import { Badge, Group } from '@mantine/core'
import { IconWorld } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { AccessRole, AccessType } from '#sdk/generated/operations.ts'
import { ACCESS_TYPES } from '../../access-types.ts'
import { Note } from '../feedback/note.tsx'
import classes from './everyone.module.css'
import { ROLE_VERBS } from './roles.ts'

export function EveryoneBadge() {
  return (
    <Badge className={classes.badge} tt="none" flex="none" leftSection={<IconWorld size={12} aria-hidden />}>
      everyone
    </Badge>
  )
}

interface EveryoneNoteProps {
  title: string
  children?: ReactNode
}

export function EveryoneNote({ title, children }: EveryoneNoteProps) {
  return (
    <Note tone="caution" Icon={IconWorld} title={title}>
      {children}
    </Note>
  )
}

/** The label of an access type to choose; the one that opens something to everyone is marked. */
export function AccessTypeLabel({ type }: { type: AccessType }) {
  const { label } = ACCESS_TYPES[type]
  if (type !== 'public') return label
  return (
    <Group gap="xs" component="span">
      {label} <EveryoneBadge />
    </Group>
  )
}

interface PublicDefaultNoteProps {
  type: AccessType
  role: AccessRole
  /** The existing resources that this would open. */
  children?: ReactNode
}

/** Says which access everyone has by the default access type and role of an API key; shows nothing unless it is public. */
export function PublicDefaultNote({ type, role, children }: PublicDefaultNoteProps) {
  return (
    <div role="status">
      {type === 'public' && (
        <EveryoneNote
          title={`Everyone can ${ROLE_VERBS[role]} documents and folders without an access type of their own.`}
        >
          {children}
        </EveryoneNote>
      )}
    </div>
  )
}
