/** Previews a change that the server suggests, in a dialog, applies it, and offers to undo it. */
import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { chainQuery } from '../../../queries/access/access.ts'
import { AppliedNote } from './applied-note.tsx'
import type { Change, Place } from './change.ts'
import { type Applied, PreviewStep } from './preview-step.tsx'

interface Fixing {
  /** Opens the preview. */
  start: (place: Place, change: Change) => void
  /** Confirms what was applied; to be shown above what it changes. */
  note: ReactNode
  dialog: ReactNode
}

export function useFixing(): Fixing {
  const [started, setStarted] = useState<{ place: Place; change: Change }>()
  const [done, setDone] = useState<{ place: Place; applied: Applied }>()
  const close = () => setStarted(undefined)
  return {
    start: (place, change) => setStarted({ place, change }),
    note: done && <AppliedNote key={JSON.stringify(done.applied)} {...done} onClose={() => setDone(undefined)} />,
    dialog: started && (
      <Modal opened onClose={close} title="Preview" size="lg">
        <NamedPreview
          {...started}
          onApplied={(applied) => {
            setDone({ place: started.place, applied })
            close()
          }}
          onClose={close}
        />
      </Modal>
    ),
  }
}

interface NamedPreviewProps {
  place: Place
  change: Change
  onApplied: (applied: Applied) => void
  onClose: () => void
}

/** A finding names its resource by its id alone, and the preview is about its name. */
function NamedPreview({ place, ...props }: NamedPreviewProps) {
  const { data } = useQuery(chainQuery(place.key, place.resource))
  const chain = data === undefined || data.chain.length === 0 ? place.chain : data.chain
  return <PreviewStep place={{ ...place, chain }} shown={undefined} onBack={undefined} {...props} />
}
