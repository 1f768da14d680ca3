/** The legend of the letters and colours. */
import { Group } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useAccessRoles } from '../../components/access/roles.ts'
import classes from './matrix.module.css'

const KINDS = [
  { role: 'editor', letter: 'E', word: 'editor', clock: false },
  { role: 'commenter', letter: 'C', word: 'commenter', clock: false },
  { role: 'viewer', letter: 'V', word: 'viewer', clock: false },
  { role: 'none', letter: '–', word: 'none', clock: false },
  { role: 'editor', letter: 'E', word: 'expiring', clock: true },
] as const

export function Legend() {
  const roles = useAccessRoles()
  return (
    <Group component="ul" gap="md" m={0} p={0} aria-label="Legend" fz="sm" style={{ listStyle: 'none' }}>
      {KINDS.filter(({ role }) => role === 'none' || roles.includes(role)).map(({ role, letter, word, clock }) => (
        <li key={word} className={classes.legend}>
          <span className={classes.cell} data-role={role} data-expiring={clock || undefined} aria-hidden>
            {letter}
            {clock && <IconClock size={10} />}
          </span>
          {word}
        </li>
      ))}
    </Group>
  )
}
