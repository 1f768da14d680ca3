/** Counts the contents of an organization before it is disabled or deleted. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Note } from '../../components/feedback/note.tsx'
import { plural } from '../../plural.ts'
import { documentCountQuery } from '../../queries/resources/documents.ts'
import { userCountQuery } from '../../queries/users/users.ts'
import { useKey } from '../../session/use-session.ts'

/** `what` names their fate: `will be deleted`. */
export function OrganizationContents({ organizationId, what }: { organizationId: string; what: string }) {
  const key = useKey()
  const documents = useQuery({ ...documentCountQuery(key, { organizationId }), staleTime: 0 })
  const members = useQuery({ ...userCountQuery(key, { organizationId }), staleTime: 0 })
  const failed = documents.error !== null || members.error !== null
  return (
    <Text size="sm" role="status" component="div">
      {documents.data !== undefined && members.data !== undefined ? (
        <Note
          tone="danger"
          title={`${plural(documents.data, 'document')} and ${plural(members.data, 'membership')} ${what}.`}
        />
      ) : failed ? (
        'The contents could not be counted.'
      ) : (
        'Counting the contents…'
      )}
    </Text>
  )
}
