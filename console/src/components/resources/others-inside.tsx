/**
 * Says, beside the list of users with access to a folder or organization, how many other users have access to something
 * inside it, and which of its contents are open to everyone. The list alone looks as if nobody else had access to
 * anything inside.
 */
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import type { ResourceName } from '#sdk/generated/operations.ts'
import { AnchorLink } from '../../links/links.tsx'
import { INSIDE, MATRIX } from '../../links/paths.ts'
import { plural } from '../../plural.ts'
import { insideCountQuery } from '../../queries/access/inside.ts'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { EveryoneNote } from '../access/everyone.tsx'

interface OthersInsideProps {
  organizationId: string
  resource: ResourceName
}

export function OthersInside({ organizationId, resource }: OthersInsideProps) {
  const key = useKey()
  const { data: count, error } = useQuery(insideCountQuery(key, resource))
  // The page says that nothing has this id any more.
  if (error instanceof CommonholdError && error.status === 'NOT_FOUND') return null
  if (count === undefined)
    return (
      <Text size="sm" c="dimmed" role="status">
        {error === null
          ? 'Counting who has access to something inside…'
          : 'Who has access to something inside could not be counted.'}
      </Text>
    )
  if (count === null)
    return (
      <Text size="sm" role="status">
        This contains too much to list the users with access to something inside. Open the page of a folder inside
        instead.
      </Text>
    )
  const { isPublic, users, moreUsers, everyone } = count
  const isNobody = users === 0 && !moreUsers
  return (
    <Stack gap="xs" role="status">
      {!isNobody && (
        <Text size="sm" component="div">
          <AnchorLink
            to={INSIDE}
            params={{ apiKey: key.id }}
            search={searchOf(organizationId, resource)}
            size="sm"
            underline="always"
          >
            {othersHave(users, moreUsers)} access to something inside
          </AnchorLink>
          , but not to the {resource.type} itself.
        </Text>
      )}
      {/* Where the folder itself is public, its page has said so already. */}
      {!isPublic && <EveryoneInside resource={resource} />}
      {isNobody && isPublic && (
        <Text size="sm" component="div">
          Because the folder is public, users with grants inside it are not counted here. The{' '}
          <AnchorLink
            to={MATRIX}
            params={{ apiKey: key.id }}
            search={{ organizationId, folderId: resource.id }}
            size="sm"
            underline="always"
          >
            matrix
          </AnchorLink>{' '}
          shows them.
        </Text>
      )}
      {isNobody && !isPublic && everyone.resources === 0 && (
        <Text size="sm" c="dimmed">
          Nobody has access only to something inside.
        </Text>
      )}
    </Stack>
  )
}

/** Says which resources inside a folder or organization are open to everyone; shows nothing if there are none. */
export function EveryoneInside({ resource }: Pick<OthersInsideProps, 'resource'>) {
  const { data: count } = useQuery(insideCountQuery(useKey(), resource))
  if (!count || count.everyone.resources === 0) return null
  const { resources, accessRole } = count.everyone
  return (
    <EveryoneNote
      title={`Everyone has access to ${plural(resources, 'resource')} inside as ${accessRole}, because ${resources === 1 ? 'it is' : 'they are'} public.`}
    />
  )
}

function othersHave(users: number, moreUsers: boolean): string {
  if (users === 0) return 'Others may have'
  if (moreUsers) return `At least ${users.toLocaleString('en')} others have`
  return `${plural(users, 'other')} ${users === 1 ? 'has' : 'have'}`
}
