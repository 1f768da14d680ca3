/** The queries of what is worth a look. */
import { queryOptions } from '@tanstack/react-query'
import { type Key, workspace } from '../../session/session.ts'
import { queryKeyOf } from './keys.ts'

export const findingsQuery = (key: Key) =>
  queryOptions({ queryKey: queryKeyOf(key, 'findings'), queryFn: () => key.client.findings.list() })

/** Those of the workspace of the session. */
export const accountFindingsQuery = queryOptions({
  queryKey: ['workspace', 'findings'],
  queryFn: async () => (await workspace.accountFindings.list()).findings,
})
