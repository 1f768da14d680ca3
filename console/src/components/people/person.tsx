/** A user's name and id on one line; the name can link to the explanation of the user's access. */
import { Text } from '@mantine/core'
import { AnchorLink } from '../../links/links.tsx'
import { WHY } from '../../links/paths.ts'
import type { ResourceSearch } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { Copy, Id } from '../values/id.tsx'
import { LongName } from '../values/long-name.tsx'
import classes from './person.module.css'

interface PersonProps {
  userId: string
  name?: string | undefined
}

export function Person({ userId, name }: PersonProps) {
  return (
    <span className={classes.person}>
      {shownName(name, userId) !== userId && (
        <Text span size="sm" className={classes.name} title={userId}>
          <bdi>{name}</bdi>
        </Text>
      )}
      <span className={classes.id}>
        <Id copy={false}>{userId}</Id>
      </span>
    </span>
  )
}

/** Falls back to the id for users without a name. */
export function PersonLink({ userId, name, about }: PersonProps & { about: ResourceSearch }) {
  return (
    <span className={`${classes.person} ${classes.listed}`} data-alone={name === undefined || undefined}>
      <AnchorLink
        size="sm"
        className={`${classes.name} ${classes.link}`}
        to={WHY}
        params={{ apiKey: useKey().id }}
        search={{ ...about, userId }}
        title={`Why ${userId} has or does not have access`}
      >
        <LongName>{shownName(name, userId)}</LongName>
      </AnchorLink>
      {name === undefined ? (
        <Copy value={userId} label={`Copy ${userId}`} />
      ) : (
        <span className={classes.id}>
          <Id>{userId}</Id>
        </span>
      )}
    </span>
  )
}
