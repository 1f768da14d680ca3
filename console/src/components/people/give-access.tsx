/** Asks for the resource to which a user or user group should get access, and opens the dialog of its access page. */
import { Modal } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ACCESS } from '../../links/paths.ts'
import type { Picked } from '../../recent.ts'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { Picker } from '../search/picker.tsx'
import { NamedId } from './named-id.tsx'

interface GiveAccessProps {
  holder: { userId: string; groupId?: undefined } | { groupId: string; userId?: undefined }
  name: string | undefined
  /** Where to search; absent: in all organizations. A group gets access only in its own. */
  organizationId?: string | undefined
  onClose: () => void
}

export function GiveAccess({ holder: { userId, groupId }, name, organizationId = '', onClose }: GiveAccessProps) {
  const { id: apiKey } = useKey()
  const navigate = useNavigate()
  function open({ kind, id, organizationId: within = id }: Picked): void {
    const resource = searchOf(within, { type: kind === 'folder' || kind === 'document' ? kind : 'organization', id })
    const give = groupId === undefined ? { give: userId } : { giveGroup: groupId }
    void navigate({ to: ACCESS, params: { apiKey }, search: { ...resource, ...give } })
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          Give access to <NamedId id={groupId ?? userId} name={name} />
        </>
      }
    >
      <Picker
        label="Organization, folder or document"
        description="The next step asks for the role, and previews the effect."
        kinds={['organization', 'folder', 'document']}
        organizationId={organizationId}
        data-autofocus
        value={undefined}
        onChange={(picked) => picked && open(picked)}
      />
    </Modal>
  )
}
