/** The dialog that replaces all tokens of the workspace by a new one. */
import { useMutation } from '@tanstack/react-query'
import { ReplaceTokens } from '../../components/secrets/replace-tokens.tsx'
import { replaceWorkspaceTokens } from '../../queries/account/workspace-tokens.ts'
import { useSession } from '../../session/use-session.ts'

export function ReplaceWorkspaceTokens({ count, onClose }: { count: number; onClose: () => void }) {
  const reset = useMutation(replaceWorkspaceTokens(useSession()))
  return (
    <ReplaceTokens label="New workspace token" created="A new token" count={count} reset={reset} onClose={onClose} />
  )
}
