/** A spinner for data that is loaded for the first time. */
import { Center, type CenterProps, Loader, VisuallyHidden } from '@mantine/core'

interface LoadingProps extends CenterProps {
  /** Announced to screen readers. */
  label?: string
}

export function Loading({ label = 'Loading', ...room }: LoadingProps) {
  return (
    <Center role="status" py="xl" {...room}>
      <Loader aria-hidden />
      <VisuallyHidden>{label}</VisuallyHidden>
    </Center>
  )
}
