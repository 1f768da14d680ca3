/** Drag and drop of rows onto folders. The menus offer the same without dragging. */
import { type DragEvent, useState } from 'react'
import type { Resource } from './resource.ts'

/** The props of an element that accepts rows. */
interface DropProps {
  'data-drop': boolean | undefined
  onDragOver: (event: DragEvent) => void
  onDragLeave: () => void
  onDrop: (event: DragEvent) => void
}

interface Target {
  id: string
  name: string
  /** The known ancestors of the folder. */
  above?: readonly string[]
}

export interface Drag {
  /** Returns the props of an element that can be dragged. */
  from: (resources: () => readonly Resource[]) => {
    draggable: boolean
    onDragStart: (event: DragEvent) => void
    onDragEnd: () => void
  }
  onto: (target: Target) => DropProps
}

type Move = (resources: readonly Resource[], to: { id: string; name: string }) => void

/** Returns what makes rows draggable. Without `onMove`, nothing can be dragged. */
export function useDrag(onMove: Move | undefined): Drag {
  const [dragged, drag] = useState<readonly Resource[]>([])
  const [over, setOver] = useState<string>()
  const accepts = ({ id, above = [] }: Target) =>
    dragged.some(({ parentId }) => parentId !== id) &&
    dragged.every((resource) => resource.type === 'document' || ![id, ...above].includes(resource.id))
  function end(): void {
    drag([])
    setOver(undefined)
  }
  return {
    from: (resources) => ({
      draggable: onMove !== undefined,
      onDragStart(event) {
        event.stopPropagation()
        const chosen = resources()
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', chosen.map(({ id }) => id).join('\n'))
        drag(chosen)
      },
      onDragEnd: end,
    }),
    onto: (target) => ({
      'data-drop': (over === target.id && accepts(target)) || undefined,
      onDragOver(event) {
        event.stopPropagation()
        if (!accepts(target)) return
        event.preventDefault()
        setOver(target.id)
      },
      onDragLeave: () => setOver(undefined),
      onDrop(event) {
        event.preventDefault()
        event.stopPropagation()
        if (accepts(target)) onMove?.(dragged, { id: target.id, name: target.name })
        end()
      },
    }),
  }
}
