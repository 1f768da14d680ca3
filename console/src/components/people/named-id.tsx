/** A name within a text, followed by the id, small and with a button that copies it; without a name, only the id. */
import { Text } from '@mantine/core'
import { shownName } from '../../shown-name.ts'
import { Id } from '../values/id.tsx'
import classes from './sentence.module.css'

interface NamedIdProps {
  id: string
  /** Undefined while it is loaded, and for a record without a name. */
  name: string | undefined
}

export function NamedId({ id, name }: NamedIdProps) {
  if (shownName(name, id) === id) return <Id>{id}</Id>
  return (
    <>
      <bdi className={classes.name}>{name}</bdi>{' '}
      <Text span size="xs" c="dimmed">
        <Id>{id}</Id>
      </Text>
    </>
  )
}
