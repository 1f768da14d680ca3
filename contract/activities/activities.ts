/** `activities/*`: records of who did what on a document (rules/comments.md#activities). */
import Type from 'typebox'
import { BatchResult, WriteResult } from '../core/envelope.ts'
import { ClosedObject, filtersOf, JsonObject, JsonValue, nullable, optional } from '../core/fields.ts'
import { callerId, DocumentId, Items, OrganizationId, PAGING, TimeOrder, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { User, UserRef } from '../users/user-refs.ts'

export const ActivityId = callerId('The id of the activity.')
export const FeatureType = Type.Enum(['comment', 'reaction', 'recorder', 'crdt', 'custom'], {
  description: 'The kind of thing that the activity is about.',
})
const ActionType = Type.String({
  description: 'The action, in a word of your own or of comments.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})
const TargetEntityId = callerId('The target of the action, such as the id of a thread.')

const text = (description: string) => Type.String({ description, maxLength: LIMITS.templateCharactersMax })
const TEMPLATE = 'The text of the activity. Readers replace `{{name}}` and `{{actionUser.name}}` by the data.'
const ICON = 'The URL or the name of a picture.'

/** Fields that are only stored and returned, and can be changed later. */
const contents = {
  changes: JsonObject('`{ from, to }` for each field that was changed.'),
  displayMessageTemplate: text(TEMPLATE),
  displayMessageTemplateData: JsonObject('The data of the template.'),
  actionIcon: text(ICON),
}
const entities = {
  entityData: Type.Optional(JsonValue('The entity as it was.')),
  entityTargetData: Type.Optional(JsonValue('The part of the entity as it was.')),
}

export const ActivityInput = ClosedObject({
  id: Type.Optional({ ...ActivityId, description: 'Default: a new id. An activity with this id is overwritten.' }),
  featureType: FeatureType,
  actionType: ActionType,
  actionUser: UserRef,
  targetEntityId: Type.Optional({ ...TargetEntityId, description: 'Required when `featureType` is `custom`.' }),
  targetSubEntityId: Type.Optional(callerId('The part of the target, such as the id of a comment.')),
  ...optional(contents),
  ...entities,
  isActivityResolverUsed: Type.Optional(Type.Boolean({ description: 'Texts are kept elsewhere. Only stored.' })),
})

export const ActivityChange = ClosedObject({
  id: ActivityId,
  ...nullable(contents),
  ...entities,
})

export const Activity = Type.Object({
  id: Type.String(),
  featureType: FeatureType,
  actionType: Type.String(),
  actionUser: User,
  timestamp: Type.Integer({ description: 'When it was first recorded, in milliseconds.' }),
  metadata: Type.Object({
    apiKey: Type.String(),
    organizationId: Type.String(),
    documentId: Type.String({ description: 'The current id of the document.' }),
    folderId: Type.Optional(Type.String({ description: 'Absent at the top, and with a user token.' })),
  }),
  targetEntityId: Type.Optional(Type.String()),
  targetSubEntityId: Type.Optional(Type.String()),
  changes: Type.Optional(Type.Object({}, { additionalProperties: true })),
  entityData: Type.Optional(Type.Unknown()),
  entityTargetData: Type.Optional(Type.Unknown()),
  displayMessageTemplate: Type.Optional(Type.String()),
  displayMessageTemplateData: Type.Optional(Type.Object({}, { additionalProperties: true })),
  actionIcon: Type.Optional(Type.String()),
  isActivityResolverUsed: Type.Optional(Type.Boolean()),
  immutable: Type.Boolean({ description: 'Calls can neither change nor delete it.' }),
})
export type Activity = Type.Static<typeof Activity>

export const addActivities = operation({
  name: 'activities.add',
  path: '/v2/activities/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Record activities',
  description:
    'Records activities on a document, all or none, where the settings of the key switch them on. An activity whose id exists is overwritten and keeps its `timestamp`, unless it is immutable.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: DocumentId,
    activities: Items(ActivityInput, 'The same id twice: the last wins.'),
  }),
  result: WriteResult,
  success: 'Activities added successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', 'activities_off', 'activity_immutable'],
  example: {
    organizationId: 'acme',
    documentId: 'roadmap',
    activities: [
      {
        id: 'approved-1',
        featureType: 'custom',
        actionType: 'approved',
        actionUser: { userId: 'ada', name: 'Ada Lovelace' },
        targetEntityId: 'budget',
        displayMessageTemplate: '{{actionUser.name}} approved the budget',
      },
    ],
  },
})

export const getActivities = operation({
  name: 'activities.get',
  path: '/v2/activities/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get activities',
  description:
    'Returns the activities of an organization that match all given filters, page by page. The token of the next page is also in `pageToken`. A page may be short or empty and still have a token.',
  data: ClosedObject({
    organizationId: OrganizationId,
    documentId: Type.Optional(DocumentId),
    targetEntityId: Type.Optional(TargetEntityId),
    featureTypes: Type.Optional(Items(FeatureType, 'Any of these.')),
    actionTypes: Type.Optional(Items(ActionType, 'Any of these.')),
    userId: Type.Optional({ ...UserId, description: 'The user who acted.' }),
    activityIds: Type.Optional(Items(ActivityId, 'Only the activities with these ids; unknown ids are left out.')),
    order: Type.Optional(TimeOrder),
    ...PAGING,
  }),
  result: Type.Array(Activity),
  success: 'Activities retrieved successfully.',
  reasons: ['organization_does_not_exist', 'document_does_not_exist', 'user_disabled'],
  example: { organizationId: 'acme', documentId: 'roadmap' },
})

export const updateActivities = operation({
  name: 'activities.update',
  path: '/v2/activities/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Change activities',
  description:
    'Replaces the given fields of activities; the others keep their values, and `null` clears a field. Activities that do not exist or are immutable fail.',
  data: ClosedObject({
    organizationId: OrganizationId,
    activities: Items(ActivityChange, 'The same id twice: the last wins.'),
  }),
  result: BatchResult,
  success: 'Activities updated successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', activities: [{ id: 'approved-1', entityData: { budget: 1200 } }] },
})

export const deleteActivities = operation({
  name: 'activities.delete',
  path: '/v2/activities/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete activities',
  description: `Deletes the activities that match all given filters, of which one at least is required. Activities that do not exist or are immutable fail. One call deletes ${thousands(LIMITS.recordsDeletedMax)} at most, and then has a warning: repeat it.`,
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      documentId: Type.Optional(DocumentId),
      targetEntityId: Type.Optional(TargetEntityId),
      activityIds: Type.Optional(Items(ActivityId, 'Only these.')),
    },
    { narrowing: ['documentId', 'targetEntityId', 'activityIds'], readFilters: filtersOf(getActivities.data) },
  ),
  result: BatchResult,
  success: 'Activities deleted successfully.',
  warns: true,
  reasons: ['organization_does_not_exist', 'document_does_not_exist'],
  example: { organizationId: 'acme', documentId: 'roadmap', activityIds: ['approved-1'] },
})

export const ACTIVITY_OPERATIONS = [addActivities, getActivities, updateActivities, deleteActivities]
