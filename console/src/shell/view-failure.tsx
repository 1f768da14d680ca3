/** Shown instead of a view that failed; the frame around it stays. */
import { Button, Stack, Title } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Failure } from '../components/feedback/failure.tsx'
import { isLoadError } from '../components/page/load-view.ts'

/** Instead of the message of the browser, which names a file. */
const NOT_LOADED = new Error(
  'The server does not have the code of this view. It may have been upgraded: reload the page.',
)

export function ViewFailure({ error }: { error: unknown }) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  const again = () => {
    if (isLoadError(error)) return window.location.reload()
    reset()
    void router.invalidate()
  }
  return (
    <Stack component="section" gap="md" py="xl">
      <Title order={1} size="h2">
        This view could not be shown
      </Title>
      <Failure
        error={isLoadError(error) ? NOT_LOADED : error instanceof Error ? error : new Error(String(error))}
        action={<Button onClick={again}>{isLoadError(error) ? 'Reload' : 'Try again'}</Button>}
      />
    </Stack>
  )
}
