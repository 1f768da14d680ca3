/** Opens the palette: a button in the header, and Ctrl K or ⌘ K anywhere. Its code is loaded when it is first opened. */
import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { loadView } from '../../components/page/load-view.ts'

const Palette = lazy(() => loadView(() => import('./palette.tsx')))

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

export function PaletteButton({ apiKey }: { apiKey: string | undefined }) {
  const [opened, { open, close, toggle }] = useDisclosure()
  const [typed, type] = useState('')
  useHotkeys([['mod+K', toggle]], [])
  useEffect(() => {
    if (!opened) return
    type('')
    // Keys that are pressed before the field has the focus are for the field, not for the page behind.
    const takeEarly = (event: KeyboardEvent) => {
      const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
      if (!isText || document.activeElement?.closest('[role=dialog]')) return
      event.preventDefault()
      type((before) => before + event.key)
    }
    window.addEventListener('keydown', takeEarly, true)
    return () => window.removeEventListener('keydown', takeEarly, true)
  }, [opened])
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
          <Palette apiKey={apiKey} typed={typed} onType={type} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
