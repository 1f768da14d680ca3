/** The domains by which addresses find the workspace at sign-in, each with the record that proves it, and the link for colleagues. */
import { Group, Input, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { SsoConfig, SsoDomain } from '#sdk/generated/operations.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { DomainForm } from '../../components/forms/domain-form.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { Id } from '../../components/values/id.tsx'
import { StateBadge } from '../../components/values/state-badge.tsx'
import { updateSsoConfig, verifySsoDomain } from '../../queries/account/single-sign-on.ts'
import { Problem } from './connection-test.tsx'

export function SignInDomains({ stored: { domains, signInUrl, enabled } }: { stored: SsoConfig }) {
  const names = domains.map(({ domain }) => domain)
  return (
    <Section
      title="Sign-in page"
      intro="Colleagues open this link, or enter their e-mail address on the sign-in page: the part after the @ finds this workspace, once the domain is verified."
    >
      <Input.Wrapper
        label="Link to hand to colleagues"
        labelElement="div"
        description={enabled ? undefined : 'It works once operators can sign in with the provider.'}
      >
        <Id>{signInUrl}</Id>
      </Input.Wrapper>
      {domains.map((domain) => (
        <Domain key={domain.domain} domain={domain} others={names.filter((name) => name !== domain.domain)} />
      ))}
      <AddDomain names={names} />
    </Section>
  )
}

function Domain({ domain, others }: { domain: SsoDomain; others: string[] }) {
  const { domain: name, verifiedAt, recordName, recordValue } = domain
  const verify = useMutation({
    ...verifySsoDomain,
    onSuccess: ({ problem }) => {
      if (problem === undefined) notifications.show({ message: `${name} is verified.` })
    },
  })
  const remove = useMutation({ ...updateSsoConfig, onError: notifyFailure })
  const problem = verify.data?.problem
  return (
    <Stack gap="xs" role="group" aria-label={name}>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Text fw={500} size="sm">
            <bdi>{name}</bdi>
          </Text>
          <StateBadge state={verifiedAt === undefined ? 'wait' : 'good'}>
            {verifiedAt === undefined ? 'not verified' : 'verified'}
          </StateBadge>
        </Group>
        <Group gap="xs">
          <PermittedButton
            needs="sso-domains.verify"
            size="xs"
            variant="default"
            aria-label={`Verify ${name}`}
            loading={verify.isPending}
            onClick={() => verify.mutate({ domain: name })}
          >
            Verify
          </PermittedButton>
          <PermittedButton
            needs="sso-config.update"
            size="xs"
            variant="default"
            aria-label={`Remove ${name}`}
            loading={remove.isPending}
            onClick={() => remove.mutate({ domains: others })}
          >
            Remove
          </PermittedButton>
        </Group>
      </Group>
      {verifiedAt === undefined && (
        <>
          <Text size="xs" c="dimmed">
            Add this TXT record to the DNS of the domain and keep it there, then verify.
          </Text>
          <Input.Wrapper label="Name" labelElement="div" size="xs">
            <Id>{recordName}</Id>
          </Input.Wrapper>
          <Input.Wrapper label="Value" labelElement="div" size="xs">
            <Id>{recordValue}</Id>
          </Input.Wrapper>
        </>
      )}
      {verify.error !== null && <Failure error={verify.error} />}
      {problem !== undefined && <Problem problem={problem} />}
    </Stack>
  )
}

function AddDomain({ names }: { names: readonly string[] }) {
  const add = useMutation(updateSsoConfig)
  return (
    <DomainForm
      label="Domain of e-mail addresses"
      placeholder="example.com"
      action="Add domain"
      variant="default"
      needs="sso-config.update"
      adding={add}
      onAdd={(domain, onAdded) => add.mutate({ domains: [...names, domain] }, { onSuccess: onAdded })}
    />
  )
}
