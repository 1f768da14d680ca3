/** Disables or enables an API key, and can undo that. */
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import { disableApiKey } from '../../queries/keys/keys.ts'
import { nameOf } from '../../shell/key-switcher.tsx'

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
