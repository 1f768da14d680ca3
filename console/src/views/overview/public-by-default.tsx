/** Says that documents are open to everyone unless somebody restricts them. */
import type { AccessRole } from '#sdk/generated/operations.ts'
import { EveryoneNote } from '../../components/access/everyone.tsx'
import { AnchorLink } from '../../links/links.tsx'

const VERBS: Readonly<Record<AccessRole, string>> = { viewer: 'view', commenter: 'comment on', editor: 'edit' }

interface PublicByDefaultProps {
  apiKey: string
  /** The role of users without a grant. */
  role: AccessRole
}

export function PublicByDefault({ apiKey, role }: PublicByDefaultProps) {
  return (
    <EveryoneNote title="Documents are public by default">
      Every user of this API key can {VERBS[role]} documents and folders without an access type of their own.{' '}
      <AnchorLink to="/keys/$apiKey/settings" params={{ apiKey }} size="sm" underline="always">
        Change the default access type
      </AnchorLink>
    </EveryoneNote>
  )
}
