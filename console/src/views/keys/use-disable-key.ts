/** Disables an API key or enables it, with a way back. */
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { notifyFailure } from '../../components/failure.tsx'
import { notifyWithUndo } from '../../components/undo.tsx'
import { disableApiKey } from '../../queries/keys.ts'
import { nameOf } from '../../shell/key-switcher.tsx'

export function useDisableKey() {
  const back = useMutation(disableApiKey)
  const change = useMutation({ ...disableApiKey, onError: notifyFailure })
  return {
    isPending: change.isPending,
    /** Disables one that is enabled, and enables one that is disabled. */
    toggle: async (key: ApiKeySummary): Promise<void> => {
      const { id: apiKey, disabled } = key
      const changed = await change.mutateAsync({ apiKey, disabled: !disabled }).catch(() => undefined)
      if (changed === undefined) return
      notifyWithUndo(
        disabled ? `${nameOf(key)} is enabled.` : `${nameOf(key)} is disabled: every call with it is refused.`,
        () => back.mutateAsync({ apiKey, disabled }),
      )
    },
  }
}
