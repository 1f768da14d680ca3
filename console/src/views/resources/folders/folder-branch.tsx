/** A folder of the tree, with its subfolders while it is open. */
import { IconBuilding, IconChevronRight, IconFolder, IconFolderOpen } from '@tabler/icons-react'
import { type MouseEvent, useEffect, useState } from 'react'
import { explanationOf } from '../../../components/feedback/failure.tsx'
import { useRows } from '../../../queries/pages/use-rows.ts'
import { foldersQuery, ROOT } from '../../../queries/resources/folders.ts'
import { useKey } from '../../../session/use-session.ts'
import type { Drag } from '../drag.ts'
import { folderResource, shownName } from '../resource.ts'
import classes from './folder-tree.module.css'

export interface TreeState {
  organizationId: string
  chosen: string
  /** The item in the tab order. */
  tabStop: string
  isOpen: (id: string) => boolean
  toggle: (id: string, opened?: boolean) => void
  choose: (id: string, name: string) => void
  setTabStop: (id: string) => void
  drag: Drag | undefined
}

interface FolderItemProps {
  tree: TreeState
  id: string
  name: string
  above: readonly string[]
  /** The props that make the item draggable. */
  dragProps?: ReturnType<Drag['from']>
}

export function FolderItem({ tree, id, name, above, dragProps }: FolderItemProps) {
  const open = tree.isOpen(id)
  const chosen = tree.chosen === id
  const Icon = id === ROOT ? IconBuilding : open ? IconFolderOpen : IconFolder
  function choose(): void {
    tree.setTabStop(id)
    tree.choose(id, name)
  }
  function toggle(event: MouseEvent): void {
    event.stopPropagation()
    tree.toggle(id)
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys */}
      <div
        role="treeitem"
        aria-label={name}
        aria-level={above.length + 1}
        aria-expanded={open}
        aria-selected={chosen}
        // The root is always in the tab order, because the focused item may be in a folder that was closed.
        tabIndex={tree.tabStop === id || id === ROOT ? 0 : -1}
        data-folder={id}
        data-chosen={chosen || undefined}
        className={classes.item}
        style={{ paddingInlineStart: indent(above.length) }}
        onClick={choose}
        onFocus={() => tree.setTabStop(id)}
        {...dragProps}
        {...tree.drag?.onto({ id, name, above })}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys do the same */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys do the same */}
        <span className={classes.chevron} data-open={open || undefined} onClick={toggle}>
          <IconChevronRight size={14} aria-hidden />
        </span>
        <Icon size={16} aria-hidden className={classes.icon} />
        <bdi className={classes.name} title={name}>
          {name}
        </bdi>
      </div>
      {open && <Branch tree={tree} id={id} above={[...above, id]} />}
    </>
  )
}

const indent = (level: number): string => `${Math.min(level, 24) * 0.9}rem`

/** Rendering more at once would be slow. */
const SHOWN_AT_ONCE = 200

function Branch({ tree, id, above }: { tree: TreeState; id: string; above: readonly string[] }) {
  const key = useKey()
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const folders = useRows(foldersQuery(key, tree.organizationId, id))
  const { count, hasMore, isLoading, error, at, request, refetch } = folders
  useEffect(() => request(0, shown - 1), [request, shown])
  const records = Array.from({ length: Math.min(shown, count) }, (_, index) => at(index)).filter(
    (record) => record !== undefined,
  )
  const note = (text: string, act?: () => void) => (
    <Note tree={tree} id={id} level={above.length} text={text} act={act} />
  )
  return (
    <>
      {records.map((record) => (
        <FolderItem
          key={record.folderId}
          tree={tree}
          id={record.folderId}
          name={shownName({ id: record.folderId, name: record.folderName })}
          above={above}
          dragProps={tree.drag?.from(() => [folderResource(record)])}
        />
      ))}
      {isLoading && note('Loading…')}
      {count === 0 && !hasMore && note('No subfolders')}
      {!isLoading &&
        (count > shown || (hasMore && count > 0)) &&
        note('Show more folders', () => setShown(shown + SHOWN_AT_ONCE))}
      {error !== null && note(`${explanationOf(error)} Click to try again.`, () => void refetch())}
    </>
  )
}

interface NoteProps {
  tree: TreeState
  /** The parent folder. */
  id: string
  level: number
  text: string
  act: (() => void) | undefined
}

/** A line in a branch that is not a folder, such as a status; some of these lines can be clicked. */
function Note({ tree, id, level, text, act }: NoteProps) {
  const own = `note in ${id}`
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      role="treeitem"
      aria-level={level + 1}
      aria-selected={false}
      aria-disabled={act === undefined || undefined}
      tabIndex={tree.tabStop === own ? 0 : -1}
      className={classes.note}
      data-acts={act !== undefined || undefined}
      style={{ paddingInlineStart: `calc(${indent(level)} + 1.8rem)` }}
      onFocus={() => tree.setTabStop(own)}
      onClick={act}
    >
      {text}
    </div>
  )
}
