/** Follows the events of the open API key, or of the workspace, for those who may read them. */
import { useFollower } from '../queries/live/follower.ts'
import { useRefusal } from '../session/permission.ts'
import { keyOf, workspace } from '../session/session.ts'

export function Follower({ apiKey }: { apiKey: string | undefined }) {
  const isRefused = useRefusal(apiKey === undefined ? 'account-events.list' : 'events.list', { apiKey }) !== undefined
  const feed = apiKey === undefined ? workspace.accountEvents.list : keyOf(apiKey).client.events.list
  useFollower(isRefused ? undefined : feed)
  return null
}
