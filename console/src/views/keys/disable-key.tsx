/** Confirms the disabling of a production key, which locks out every user of the application. */
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { nameOf } from '../../shell/key-switcher.tsx'

interface DisableKeyProps {
  apiKey: ApiKeySummary
  onConfirm: () => void
  onClose: () => void
}

export function DisableKey({ apiKey, onConfirm, onClose }: DisableKeyProps) {
  return (
    <Confirmation
      needs="api-keys.disable"
      title="Disable API key"
      action="Disable"
      danger
      apiKey={apiKey.id}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      While <bdi>{nameOf(apiKey)}</bdi> is disabled, every call with it is refused: all users of the application are
      locked out, and its back end too. No data is lost: everything works again once you enable the key.
    </Confirmation>
  )
}
