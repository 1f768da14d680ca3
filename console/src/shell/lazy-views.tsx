/** Views whose code is loaded when they are opened. */
import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router'
import { loadView } from '../components/page/load-view.ts'
import { PermittedOnly } from '../components/permitted/permitted.tsx'
import type { Needs } from '../session/permission.ts'

/** Creates a view whose code is loaded when it is opened. */
export const view = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => loadView(load), name)

/** Creates a view only for people who may read its data; others read why they cannot see it. */
export function readView<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  needs: Needs,
  title: string | undefined,
  load: () => Promise<Module>,
  name: Name,
) {
  const View = view(load, name) as AsyncRouteComponent<object>
  const props = title === undefined ? { needs } : { needs, title }
  return Object.assign(
    () => (
      <PermittedOnly {...props}>
        <View />
      </PermittedOnly>
    ),
    View.preload === undefined ? {} : { preload: View.preload },
  )
}
