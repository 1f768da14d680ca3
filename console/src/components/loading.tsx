/** While something is read for the first time. */
import { Center, type CenterProps, Loader, VisuallyHidden } from '@mantine/core'

interface LoadingProps extends CenterProps {
  /** For those who do not see that something turns. */
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
