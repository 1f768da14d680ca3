/** The requests for domains that wait for an answer. */
import { Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { DomainRequest } from '#sdk/generated/operations.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { domainRequestsQuery, respondToDomainRequest } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'

export function RequestedDomains() {
  const { data: requests = [], error } = useQuery(domainRequestsQuery(useKey()))
  const pending = requests.filter(({ status }) => status === 'pending')
  if (pending.length === 0 && error === null) return null
  return (
    <Section
      title="Requested domains"
      intro="Your application asked to allow these hosts. Accept only hosts that you know: their pages may then call with user tokens."
    >
      {error !== null && <Failure error={error} />}
      {pending.length > 0 && <Requests requests={pending} />}
    </Section>
  )
}

function Requests({ requests }: { requests: readonly DomainRequest[] }) {
  return (
    <Table layout="fixed" aria-label="Requested domains">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Domain</Table.Th>
          <Table.Th visibleFrom="sm">Document</Table.Th>
          <Table.Th w={130} visibleFrom="md">
            Requested
          </Table.Th>
          <Table.Th w={{ base: 100, sm: 190 }}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {requests.map((request) => (
          <RequestRow key={request.id} request={request} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function RequestRow({
  request: { id, domain, documentName, clientDocumentId, requestedAt },
}: {
  request: DomainRequest
}) {
  const respond = useMutation({
    ...respondToDomainRequest(useKey()),
    onError: notifyFailure,
    onSuccess: ({ requestedDomain: { status } }) =>
      notifications.show({ message: `${domain} is ${status === 'accepted' ? 'now allowed' : 'not allowed'}.` }),
  })
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Id copy={false}>{domain}</Id>
      </Table.Td>
      <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{documentName}</bdi>
        <Text size="xs" c="dimmed" component="div">
          <Id copy={false}>{clientDocumentId}</Id>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Timestamp at={requestedAt} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="end">
          <PermittedButton
            needs="domain-requests.respond"
            size="xs"
            variant="default"
            aria-label={`Reject ${domain}`}
            disabled={respond.isPending}
            onClick={() => respond.mutate({ id, action: 'reject' })}
          >
            Reject
          </PermittedButton>
          <PermittedButton
            needs="domain-requests.respond"
            size="xs"
            variant="default"
            aria-label={`Accept ${domain}`}
            disabled={respond.isPending}
            onClick={() => respond.mutate({ id, action: 'accept' })}
          >
            Accept
          </PermittedButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
