/** Shows the beginning and the origin of a token beside its name in a list. */
import type { AuthToken } from '#sdk/generated/operations.ts'

type Origin = NonNullable<AuthToken['origin']>

const WAYS: Record<Origin['how'], string> = {
  created: '',
  replaced_others: 'replacing all tokens',
  with_api_key: 'with the API key',
  with_workspace: 'with the workspace',
}

/** Returns `by Ada`, `with the API key, by the workspace token deployment`. Absent: the token is older than the record. */
export function TokenOrigin({ origin }: { origin: Origin | undefined }) {
  if (origin === undefined) return 'not recorded'
  const { how, operator, workspaceToken } = origin
  const way = WAYS[how]
  const by = operator?.name ?? workspaceToken
  if (by === undefined) return way
  return (
    <>
      {way === '' ? 'by ' : `${way}, by `}
      {operator === undefined && 'the workspace token '}
      <bdi>{by}</bdi>
    </>
  )
}
