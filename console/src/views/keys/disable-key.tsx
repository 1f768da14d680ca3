/** Disables and enables API keys; the disabling of a production key, which locks out every user of the application, is confirmed. */
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { disableApiKey } from '../../queries/keys/keys.ts'
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

/** Disables or enables an API key, and can undo that. */
export function useDisableKey() {
  const undo = useMutation(disableApiKey)
  const change = useMutation(disableApiKey)
  return {
    isPending: change.isPending,
    /** Disables an enabled key, and enables a disabled one. */
    toggle: (key: ApiKeySummary): void => {
      const { id: apiKey, disabled } = key
      const result = disabled ? 'was enabled.' : 'was disabled: every call with it is refused.'
      // Not with `mutate`: the calling component may be unmounted when the call ends.
      void change
        .mutateAsync({ apiKey, disabled: !disabled })
        .then(
          () => notifyWithUndo(`${nameOf(key)} ${result}`, () => undo.mutateAsync({ apiKey, disabled })),
          notifyFailure,
        )
    },
  }
}
