/** Disables an API key or enables it, with a way back. */
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { notifyFailure } from '../../components/failure.tsx'
import { notifyWithUndo } from '../../components/undo.tsx'
import { disableApiKey } from '../../queries/keys.ts'
import { nameOf } from '../../shell/key-switcher.tsx'

export function useDisableKey() {
  const back = useMutation(disableApiKey)
  const change = useMutation(disableApiKey)
  return {
    isPending: change.isPending,
    /** Disables one that is enabled, and enables one that is disabled. */
    toggle: (key: ApiKeySummary): void => {
      const { id: apiKey, disabled } = key
      const said = disabled ? 'is enabled.' : 'is disabled: every call with it is refused.'
      // Not with `mutate`: what called may be gone from the page when it is done.
      void change
        .mutateAsync({ apiKey, disabled: !disabled })
        .then(
          () => notifyWithUndo(`${nameOf(key)} ${said}`, () => back.mutateAsync({ apiKey, disabled })),
          notifyFailure,
        )
    },
  }
}
