/** `workspace/activityconfig/*`: whether an API key records activities, and which. Fields: rules/keys.md#notifications-and-activities. */
import Type from 'typebox'
import { CommentTriggers } from '../comments/triggers.ts'
import { ClosedObject, Milliseconds } from '../core/fields.ts'
import { operation } from '../core/operation.ts'

const fields = {
  isEnabled: Type.Optional(Type.Boolean()),
  enabledTime: Type.Optional(Milliseconds('When the service was first switched on, in milliseconds.')),
  immutable: Type.Optional(
    Type.Boolean({
      description: 'Activities that are recorded from now on can be neither changed nor deleted by a call.',
    }),
  ),
  triggers: Type.Optional(
    ClosedObject(
      { comment: Type.Optional(CommentTriggers) },
      { description: 'Which acts on comments are recorded. A trigger that is not set is off.' },
    ),
  ),
}

export const ActivityConfig = Type.Object({
  activityServiceConfig: Type.Object({ ...fields, isEnabled: Type.Boolean() }),
})
export type ActivityConfig = Type.Static<typeof ActivityConfig>

export const getActivityConfig = operation({
  name: 'activity-config.get',
  path: '/v2/workspace/activityconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the activity settings',
  description: 'Returns whether the API key records activities. Settings that were never given are absent.',
  data: ClosedObject({}),
  result: ActivityConfig,
  success: 'Activity settings retrieved successfully.',
  example: {},
})

export const updateActivityConfig = operation({
  name: 'activity-config.update',
  path: '/v2/workspace/activityconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the activity settings',
  description:
    'Changes the given fields, at least one, at every depth; the others keep their values. `isEnabled: true` while nothing is stored also switches on all triggers and `immutable`, and sets `enabledTime`, unless they are given. Returns all settings as they are now.',
  data: ClosedObject({ activityServiceConfig: ClosedObject(fields, { minProperties: 1 }) }),
  result: ActivityConfig,
  success: 'Activity settings updated successfully.',
  example: { activityServiceConfig: { isEnabled: true, immutable: false } },
})

export const ACTIVITY_CONFIG_OPERATIONS = [getActivityConfig, updateActivityConfig]
