/** The folders of an organization as a tree with arrow-key navigation; branches are loaded when they are opened. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { ROOT } from '../../../queries/resources/folders.ts'
import type { Drag } from '../drag.ts'
import { FolderItem, type TreeState } from './folder-branch.tsx'
import type { FolderPath } from './use-folder-path.ts'

interface FolderTreeProps {
  label: string
  organizationId: string
  organizationName: string
  /** The selected folder, or `root`; the folders of `chain`, which lead to it, are open. */
  chosen: string
  path: FolderPath
  onChoose: (folderId: string, name: string) => void
  /** Absent where drag and drop is off. */
  drag?: Drag
}

export function FolderTree(props: FolderTreeProps) {
  const { label, organizationId, organizationName, chosen, path, onChoose, drag } = props
  const tree = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([ROOT]))
  const [tabStop, setTabStop] = useState(chosen)
  const above = path.folder?.ancestors.join('\n')
  useEffect(() => {
    if (above !== undefined) setOpen((open) => new Set([...open, ...above.split('\n')]))
    setTabStop(chosen)
  }, [above, chosen])

  const state: TreeState = {
    organizationId,
    chosen,
    tabStop,
    isOpen: (id) => open.has(id),
    toggle: (id, opened = !open.has(id)) => {
      const next = new Set(open)
      if (opened) next.add(id)
      else next.delete(id)
      setOpen(next)
    },
    choose: onChoose,
    setTabStop,
    drag,
  }
  return (
    <div ref={tree} role="tree" aria-label={label} onKeyDown={(event) => handleKey(event, tree.current, state)}>
      <FolderItem tree={state} id={ROOT} name={organizationName} above={[]} />
    </div>
  )
}

/** Implements the keys of the ARIA tree pattern: https://www.w3.org/WAI/ARIA/apg/patterns/treeview/ */
function handleKey(event: KeyboardEvent, tree: HTMLDivElement | null, { toggle }: TreeState): void {
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const item = items[at]
  if (item === undefined || event.altKey || event.ctrlKey || event.metaKey) return
  const { ariaExpanded } = item
  const level = (item: HTMLElement) => Number(item.ariaLevel)
  const keys: Record<string, () => void> = {
    ArrowDown: () => items[at + 1]?.focus(),
    ArrowUp: () => items[at - 1]?.focus(),
    Home: () => items[0]?.focus(),
    End: () => items.at(-1)?.focus(),
    ArrowRight: () => (ariaExpanded === 'false' ? toggle(item.dataset.folder ?? '', true) : items[at + 1]?.focus()),
    ArrowLeft: () =>
      ariaExpanded === 'true'
        ? toggle(item.dataset.folder ?? '', false)
        : items.findLast((other, index) => index < at && level(other) < level(item))?.focus(),
    Enter: () => item.click(),
    ' ': () => item.click(),
  }
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}
