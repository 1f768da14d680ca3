/** The dialog that replaces all auth tokens of a key by a new one. */
import { useMutation } from '@tanstack/react-query'
import { ReplaceTokens } from '../../components/secrets/replace-tokens.tsx'
import { resetAuthTokens } from '../../queries/keys/keys.ts'
import { useKey } from '../../session/use-session.ts'

export function ReplaceKeyTokens({ count, onClose }: { count: number; onClose: () => void }) {
  const reset = useMutation(resetAuthTokens(useKey()))
  return (
    <ReplaceTokens
      needs="auth-tokens.reset"
      label="New auth token"
      created="A new token with all scopes"
      count={count}
      reset={reset}
      onClose={onClose}
    />
  )
}
