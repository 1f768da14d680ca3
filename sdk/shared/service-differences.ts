/** Compares the settings of notifications and of activities of two API keys. */
import type { Client } from '../client.ts'
import { changed, differ, type Fields, type Promotion } from './differences.ts'

/** Groups of triggers, each a switch. */
type Triggers = Readonly<Record<string, object>>

/** Returns the names of the triggers that are on; one that is not there is off. */
const onIn = (triggers: object = {}): string[] =>
  Object.entries(triggers as Triggers)
    .flatMap(([group, flags]) => Object.entries(flags).flatMap(([name, isOn]) => (isOn ? [`${group} ${name}`] : [])))
    .sort()

/** Returns the triggers of the source, with those off that only the target has: an update merges them. */
function merged(wanted: object = {}, there: object = {}): Triggers {
  const [sources, targets] = [wanted as Triggers, there as Triggers]
  const groups = [...new Set([...Object.keys(targets), ...Object.keys(sources)])]
  return Object.fromEntries(
    groups.map((group) => {
      const off = Object.keys(targets[group] ?? {}).map((name) => [name, false] as const)
      return [group, { ...Object.fromEntries(off), ...sources[group] }]
    }),
  )
}

export async function compareNotifications(source: Client, target: Client, { differences }: Promotion): Promise<void> {
  const [wanted, there] = await Promise.all([source.notificationConfig.get(), target.notificationConfig.get()])
  const [after, before] = [wanted.notificationServiceConfig, there.notificationServiceConfig]
  const change = (name: 'triggers' | 'delayConfig' | 'batchConfig', value: object) =>
    differences.push({
      ...changed('notifications', name, before[name], value),
      make: (client) => client.notificationConfig.update({ notificationServiceConfig: { [name]: value } }),
    })
  if (differ(onIn(before.triggers), onIn(after.triggers))) change('triggers', merged(after.triggers, before.triggers))
  for (const name of ['delayConfig', 'batchConfig'] as const)
    if (differ(before[name], after[name])) change(name, after[name])
  // The switch is last: without triggers of its own it would set the standard ones.
  const { useNotificationService } = wanted
  if (there.useNotificationService !== useNotificationService)
    differences.push({
      ...changed('notifications', 'useNotificationService', there.useNotificationService, useNotificationService),
      make: (client) => client.notificationConfig.update({ useNotificationService }),
    })
}

export async function compareActivities(source: Client, target: Client, { differences }: Promotion): Promise<void> {
  const [wanted, there] = await Promise.all([source.activityConfig.get(), target.activityConfig.get()])
  const [after, before] = [wanted.activityServiceConfig, there.activityServiceConfig]
  const change = (name: string, value: unknown) =>
    differences.push({
      ...changed('activities', name, (before as Fields)[name], value),
      make: (client) => client.activityConfig.update({ activityServiceConfig: { [name]: value } }),
    })
  if (differ(onIn(before.triggers), onIn(after.triggers))) change('triggers', merged(after.triggers, before.triggers))
  if (after.immutable !== undefined && before.immutable !== after.immutable) change('immutable', after.immutable)
  const { isEnabled } = after
  if (before.isEnabled === isEnabled) return
  // The server sets the time only where nothing is stored, and the triggers are stored by now.
  const first = isEnabled && before.enabledTime === undefined
  differences.push({
    ...changed('activities', 'isEnabled', before.isEnabled, isEnabled),
    make: (client) =>
      client.activityConfig.update({
        activityServiceConfig: { isEnabled, ...(first && { enabledTime: Date.now() }) },
      }),
  })
}
