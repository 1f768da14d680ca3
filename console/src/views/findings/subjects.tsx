/** Links to the subjects of findings. */
import type { AccountFinding, Finding } from '#sdk/generated/operations.ts'
import { AnchorLink } from '../../links/links.tsx'
import { searchOf } from '../../resource.ts'

interface SubjectProps {
  finding: Finding
  apiKey: string
  /** The id of the sentence of the finding. */
  describedBy: string
}

export function Subject({ finding, apiKey, describedBy }: SubjectProps) {
  const { resource, userId, endpointId, kind } = finding
  const params = { apiKey }
  const looks = { size: 'sm', underline: 'always', 'aria-describedby': describedBy } as const
  if (resource !== undefined) {
    const organizationId = resource.type === 'organization' ? resource.id : (resource.organizationId ?? '')
    const search = searchOf(organizationId, resource)
    return userId === undefined ? (
      <AnchorLink {...looks} to="/keys/$apiKey/access" params={params} search={search}>
        Who has access
      </AnchorLink>
    ) : (
      <AnchorLink {...looks} to="/keys/$apiKey/why" params={params} search={{ ...search, userId }}>
        Why
      </AnchorLink>
    )
  }
  if (endpointId !== undefined)
    return (
      <AnchorLink {...looks} to="/keys/$apiKey/webhooks/$endpointId" params={{ ...params, endpointId }}>
        Webhook
      </AnchorLink>
    )
  return kind === 'token_unused' ? (
    <AnchorLink {...looks} to="/keys/$apiKey/settings/tokens" params={params}>
      Tokens
    </AnchorLink>
  ) : (
    <AnchorLink {...looks} to="/keys/$apiKey/settings" params={params}>
      Settings
    </AnchorLink>
  )
}

const ACCOUNT_VIEWS = {
  no_second_factor: { to: '/people', label: 'People' },
  settings_differ: { to: '/keys', label: 'API keys' },
  workspace_token_unused: { to: '/workspace-tokens', label: 'Workspace tokens' },
  api_key_unused: { to: '/keys', label: 'API keys' },
} as const

interface AccountSubjectProps {
  finding: AccountFinding
  describedBy: string
}

export function AccountSubject({ finding: { kind }, describedBy }: AccountSubjectProps) {
  const { to, label } = ACCOUNT_VIEWS[kind]
  return (
    <AnchorLink size="sm" underline="always" aria-describedby={describedBy} to={to}>
      {label}
    </AnchorLink>
  )
}
