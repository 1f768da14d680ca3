/**
 * Whether an API key is for production, visible wherever it matters: in the frame of every view of the key, in lists of
 * keys, and before something is deleted or revoked.
 */
import { Badge } from '@mantine/core'
import { IconFlask, IconShieldExclamation } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { isProduction } from '../../session/permission.ts'
import { Note } from '../feedback/note.tsx'
import classes from './environment.module.css'

export function EnvironmentBadge({ apiKey }: { apiKey: string }) {
  const production = isProduction(apiKey)
  const Icon = production ? IconShieldExclamation : IconFlask
  return (
    <Badge
      className={production ? classes.production : classes.testing}
      tt="none"
      flex="none"
      leftSection={<Icon size={12} aria-hidden />}
    >
      {production ? 'Production' : 'Testing'}
    </Badge>
  )
}

/** Says in a dialog that its action affects production; nothing for testing keys. Without `apiKey` it is the key of the URL. */
export function ProductionNote({ apiKey }: { apiKey?: string | undefined }) {
  const { apiKey: opened } = useParams({ strict: false })
  const affected = apiKey ?? opened
  if (affected === undefined || !isProduction(affected)) return null
  return <Note tone="caution" Icon={IconShieldExclamation} title="This happens in production." />
}
