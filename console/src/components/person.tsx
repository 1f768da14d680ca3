/** A user by name and id, in one line. */
import { Text } from '@mantine/core'
import { Id } from './id.tsx'
import classes from './person.module.css'

interface PersonProps {
  userId: string
  name?: string | undefined
  copy?: boolean
}

export function Person({ userId, name, copy = false }: PersonProps) {
  return (
    <span className={classes.person}>
      {name !== undefined && (
        <Text span size="sm" className={classes.name} title={userId}>
          <bdi>{name}</bdi>
        </Text>
      )}
      <span className={classes.id}>
        <Id copy={copy}>{userId}</Id>
      </span>
    </span>
  )
}
