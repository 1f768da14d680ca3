/** The domains whose pages may call with a user token. */
import { Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { DomainForm } from '../../components/forms/domain-form.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedIconButton } from '../../components/permitted/permitted-button.tsx'
import { Id } from '../../components/values/id.tsx'
import { addDomains, deleteDomains, domainsQuery } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'
import { RequestedDomains } from './requested-domains.tsx'

export function DomainsView() {
  const key = useKey()
  const { data: domains, error } = useQuery(domainsQuery(key))
  return (
    <Stack gap="md">
      <RequestedDomains />
      <Section
        title="Allowed domains"
        intro="Pages on these hosts may call with a user token. Enter a host such as example.com, or *.example.com for all its subdomains. Scheme, www., port and path are ignored."
      >
        <AddDomain />
        {error !== null && <Failure error={error} />}
        {domains === undefined ? error === null && <Skeleton height={120} /> : <Domains domains={domains} />}
      </Section>
    </Stack>
  )
}

function AddDomain() {
  const add = useMutation({
    ...addDomains(useKey()),
    onSuccess: ({ domainsAdded: [added], skippedDomains }) =>
      notifications.show({
        message: added === undefined ? `${skippedDomains[0]} is already allowed.` : `${added} is now allowed.`,
      }),
  })
  return (
    <DomainForm
      label="Domain"
      placeholder="app.example.com"
      action="Allow"
      needs="domains.add"
      adding={add}
      onAdd={(domain, onAdded) => add.mutate([domain], { onSuccess: onAdded })}
    />
  )
}

function Domains({ domains }: { domains: readonly string[] }) {
  if (domains.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No domains yet, so no page can call with a user token. Add the host of your application above.
      </Text>
    )
  return (
    <Table aria-label="Allowed domains">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Domain</Table.Th>
          <Table.Th w={56}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {domains.map((domain) => (
          <Table.Tr key={domain}>
            <Table.Td>
              <Id copy={false}>{domain}</Id>
            </Table.Td>
            <Table.Td>
              <RemoveDomain domain={domain} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function RemoveDomain({ domain }: { domain: string }) {
  const key = useKey()
  const add = useMutation(addDomains(key))
  const remove = useMutation({
    ...deleteDomains(key),
    onError: notifyFailure,
    onSuccess: ({ domainsRemoved: [removed] }) => {
      if (removed === undefined) notifications.show({ message: `${domain} had already been removed.`, role: 'status' })
      else notifyWithUndo(`${removed} is no longer allowed.`, () => add.mutateAsync([removed]))
    },
  })
  return (
    <PermittedIconButton
      needs="domains.delete"
      variant="subtle"
      color="gray"
      aria-label={`Remove ${domain}`}
      loading={remove.isPending}
      onClick={() => remove.mutate([domain])}
    >
      <IconX size={16} aria-hidden />
    </PermittedIconButton>
  )
}
