/** A name within words, with the id after it, small and to copy; without a name, the id alone. */
import { Text } from '@mantine/core'
import { Id } from '../values/id.tsx'
import classes from './sentence.module.css'

interface NamedIdProps {
  id: string
  /** Undefined while it is loaded, and for a record without a name. */
  name: string | undefined
}

export function NamedId({ id, name }: NamedIdProps) {
  if (name === undefined || name === id || name.trim() === '') return <Id>{id}</Id>
  return (
    <>
      <bdi className={classes.name}>{name}</bdi>{' '}
      <Text span size="xs" c="dimmed">
        <Id>{id}</Id>
      </Text>
    </>
  )
}
