/** Lists the users affected by a change, each with the role before and after. */
import { Text } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Person } from '../../components/person.tsx'
import { RoleBadge } from '../../components/role-badge.tsx'
import { profilesQueryAt } from '../../queries/people.ts'
import { isSame } from '../../resource.ts'
import type { Place, Preview } from './change.ts'
import classes from './preview-step.module.css'
import { type Affected, affected } from './summary.ts'

const SHOWN_MAX = 500

const ms = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1000)

export function AffectedList({ place, preview }: { place: Place; preview: Preview }) {
  const { key, organizationId, resource } = place
  const all = affected(preview.simulation?.changes ?? [])
  const lines = all.slice(0, SHOWN_MAX)
  const userIds = [...new Set(lines.map(({ userId }) => userId))]
  const places = [{ type: 'organization' as const, id: organizationId }, resource]
  const { data: profiles } = useQuery(profilesQueryAt(key, organizationId, places, userIds))
  if (lines.length === 0) return null
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be scrollable with the keyboard */}
      <ul className={classes.list} aria-label="Affected users" tabIndex={0}>
        {lines.map((line) => (
          <li key={JSON.stringify([line.userId, line.effect, line.change.resource])} className={classes.line}>
            <span className={classes.who}>
              <Person userId={line.userId} name={profiles?.get(line.userId)?.name} />
            </span>
            <span className={classes.effect}>
              <RoleBadge
                role={line.change.before.allowed ? line.change.before.accessRole : undefined}
                expiresAt={ms(line.change.before.expiresAt)}
              />
              <IconArrowRight size={14} aria-label="becomes" />
              <RoleBadge
                role={line.change.after.allowed ? line.change.after.accessRole : undefined}
                lost={line.effect === 'lost'}
                expiresAt={ms(line.change.after.expiresAt)}
              />
              <Where line={line} place={place} />
            </span>
          </li>
        ))}
      </ul>
      {(preview.more || all.length > lines.length) && (
        <Text size="sm" c="dimmed">
          The list shows the first {lines.length.toLocaleString('en')}; the summary above covers all of them.
        </Text>
      )}
    </>
  )
}

/** Names the affected resources, unless it is only the resource of the page. */
function Where({ line: { change, count }, place: { resource } }: { line: Affected; place: Place }) {
  if (count > 1)
    return (
      <Text span size="xs" c="dimmed">
        on {count.toLocaleString('en')} folders and documents
      </Text>
    )
  if (isSame(change.resource, resource)) return null
  return (
    <Text span size="xs" c="dimmed">
      on {change.resource.type} <bdi>{change.resource.id}</bdi>
    </Text>
  )
}
