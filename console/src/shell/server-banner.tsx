/** Says that the server is unreachable, in a place of its own, so that it covers nothing. */
import { Button } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { tryNow, useReachable } from '../session/reachability.ts'
import classes from './server-banner.module.css'

export function ServerBanner() {
  const isReachable = useReachable()
  return (
    <div role="status">
      {!isReachable && (
        <div className={classes.banner}>
          <IconPlugConnectedX size={18} aria-hidden className={classes.icon} />
          <span>The server is unreachable. What you see is refreshed as soon as it is back.</span>
          <Button size="compact-xs" variant="default" flex="none" onClick={() => void tryNow()}>
            Try now
          </Button>
        </div>
      )}
    </div>
  )
}
