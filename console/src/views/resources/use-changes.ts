/** The changes of folders and documents that notify with an undo button. */
import { useMutation } from '@tanstack/react-query'
import { notifyFailure } from '../../components/feedback/failure.tsx'
import { notifyWithUndo } from '../../components/feedback/undo.tsx'
import {
  disableDocuments,
  moveResources,
  type OwnAccessType,
  setResourceAccess,
  updateResource,
} from '../../queries/resources/resources.ts'
import { useKey } from '../../session/use-session.ts'
import { describeResources, groupByPrevious, idsOf, type Resource } from './resource.ts'
import type { Fields } from './resource-fields.tsx'

export interface Changes {
  busy: boolean
  move: (resources: readonly Resource[], to: { id: string; name: string }) => void
  edit: (resource: Resource, fields: Fields) => void
  setAccess: (resources: readonly Resource[], accessType: OwnAccessType) => void
  disable: (resources: readonly Resource[], disabled: boolean) => void
}

type Undo = () => Promise<unknown>

/** `onChanged` is called after each change. */
export function useChanges(organizationId: string, onChanged: () => void): Changes {
  const key = useKey()
  const moving = useMutation(moveResources(key))
  const editing = useMutation(updateResource(key))
  const access = useMutation(setResourceAccess(key))
  const disabling = useMutation(disableDocuments(key))
  const change = (work: Promise<unknown>, status: string, undo: Undo) =>
    void work.then(() => notifyWithUndo(status, undo), notifyFailure).then(onChanged)

  return {
    busy: moving.isPending || editing.isPending || access.isPending || disabling.isPending,
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
    edit(resource, fields) {
      const { type, id, fields: before } = resource
      const set = (fields: Fields) => editing.mutateAsync({ organizationId, type, id, fields })
      const previous = Object.fromEntries(Object.keys(fields).map((name) => [name, before[name] ?? null]))
      change(set(fields), `${describeResources([resource])} was changed.`, () => set(previous))
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
