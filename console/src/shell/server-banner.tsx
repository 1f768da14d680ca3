/** Announces that the server is unreachable, polls it, and refetches everything when it is back. */
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useReachable } from '../session/reachability.ts'
import { sessionQuery } from '../session/session.ts'
import classes from './server-banner.module.css'

const POLL_MS = 2_000

export function ServerBanner() {
  const reachable = useReachable()
  const queryClient = useQueryClient()
  useEffect(() => {
    if (reachable) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const poll = async () => {
      await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
      if (stopped) return
      timer = setTimeout(poll, POLL_MS)
    }
    timer = setTimeout(poll, POLL_MS)
    return () => {
      stopped = true
      clearTimeout(timer)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
    }
  }, [reachable, queryClient])
  return (
    <div role="status">
      {!reachable && (
        <div className={classes.banner}>
          <IconPlugConnectedX size={18} aria-hidden />
          <span>
            The server is unreachable. The data shown may be out of date; it is refreshed as soon as the server is back.
          </span>
        </div>
      )}
    </div>
  )
}
