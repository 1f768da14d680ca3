/** The changes of folders and documents that notify with an undo button. */
import { useMutation } from '@tanstack/react-query'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import {
  disableDocuments,
  moveResources,
  type OwnAccessType,
  renameResource,
  setResourceAccess,
} from '../../queries/resources/resources.ts'
import { useKey } from '../../session/use-session.ts'
import { describeResources, groupByPrevious, idsOf, type Resource } from './resource.ts'

export interface Changes {
  busy: boolean
  move: (resources: readonly Resource[], to: { id: string; name: string }) => void
  rename: (resource: Resource, name: string | null) => void
  setAccess: (resources: readonly Resource[], accessType: OwnAccessType) => void
  disable: (resources: readonly Resource[], disabled: boolean) => void
}

type Undo = () => Promise<unknown>

/** `onChanged` is called after each change. */
export function useChanges(organizationId: string, onChanged: () => void): Changes {
  const key = useKey()
  const moving = useMutation(moveResources(key))
  const renaming = useMutation(renameResource(key))
  const access = useMutation(setResourceAccess(key))
  const disabling = useMutation(disableDocuments(key))
  const change = (work: Promise<unknown>, status: string, undo: Undo) =>
    void work.then(() => notifyWithUndo(status, undo), notifyFailure).then(onChanged)

  return {
    busy: moving.isPending || renaming.isPending || access.isPending || disabling.isPending,
    move(resources, { id: to, name }) {
      const moved = resources.filter(({ parentId }) => parentId !== to)
      if (moved.length === 0) return
      change(
        moving.mutateAsync({ ...idsOf(organizationId, moved), to }),
        `${describeResources(moved)} moved to “${name}”.`,
        sequentially(
          groupByPrevious(moved, ({ parentId }) => parentId),
          ([parentId, some]) => moving.mutateAsync({ ...idsOf(organizationId, some), to: parentId }),
        ),
      )
    },
    rename({ type, id, name: before = null }, name) {
      const renameTo = (name: string | null) => renaming.mutateAsync({ organizationId, type, id, name })
      change(renameTo(name), name === null ? 'The name was removed.' : `Renamed to “${name}”.`, () => renameTo(before))
    },
    setAccess(resources, accessType) {
      const changed = resources.filter(({ ownAccessType }) => ownAccessType !== accessType)
      if (changed.length === 0) return
      change(
        access.mutateAsync({ ...idsOf(organizationId, changed), accessType }),
        `The access type of ${describeResources(changed)} was changed.`,
        sequentially(
          groupByPrevious(changed, ({ ownAccessType }) => ownAccessType),
          ([own, some]) => access.mutateAsync({ ...idsOf(organizationId, some), accessType: own }),
        ),
      )
    },
    disable(resources, disabled) {
      const changed = resources.filter((resource) => resource.type === 'document' && resource.disabled !== disabled)
      if (changed.length === 0) return
      const documentIds = changed.map(({ id }) => id)
      const setDisabled = (disabled: boolean) => disabling.mutateAsync({ organizationId, documentIds, disabled })
      change(setDisabled(disabled), `${describeResources(changed)} ${disabled ? 'disabled' : 'enabled'}.`, () =>
        setDisabled(!disabled),
      )
    },
  }
}

const sequentially =
  <Part>(parts: readonly Part[], work: (part: Part) => Promise<unknown>): Undo =>
  async () => {
    for (const part of parts) await work(part)
  }
