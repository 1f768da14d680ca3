/** Opens the palette: a button in the header, and Ctrl K or ⌘ K anywhere. Its code is loaded when it is first opened. */
import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { loadView } from '../../components/page/load-view.ts'

const Palette = lazy(() => loadView(() => import('./palette.tsx')))

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

export function PaletteButton({ apiKey }: { apiKey: string | undefined }) {
  const [opened, { open, close, toggle }] = useDisclosure()
  useHotkeys([['mod+K', toggle]], [])
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        aria-keyshortcuts="Control+K Meta+K"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">{MOD} K</Kbd>}
        onClick={open}
      >
        Search
      </Button>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" aria-label="Search" onClick={open}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      {opened && (
        <Suspense>
          <Palette apiKey={apiKey} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
