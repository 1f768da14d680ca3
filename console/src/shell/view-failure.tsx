/** Shown instead of a view that failed; the frame around it stays. */
import { Button, Stack, Title } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Failure } from '../components/feedback/failure.tsx'
import { isLoadError } from '../components/page/load-view.ts'

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
        error={error instanceof Error ? error : new Error(String(error))}
        action={<Button onClick={again}>Try again</Button>}
      />
    </Stack>
  )
}
