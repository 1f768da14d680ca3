/** SQL: the events of a changed thread, of calls and of imports alike (rules/comments.md#changing-threads). */
import { visibilityOf } from '#tenancy/thread-visibility.ts'

const STATUS = (status: string): string =>
  `jsonb_build_object('statusId', ${status} -> 'id', 'statusName', ${status} -> 'name', 'statusType', ${status} -> 'type')`
const PRIORITY = (priority: string): string =>
  `jsonb_build_object('priorityId', ${priority} -> 'id', 'priorityName', ${priority} -> 'name')`

/** The names of the fields that differ between two contents, as a list of JSON. */
export const changedFields = (was: string, is: string, except = 'false'): string => /* sql */ `(
          select coalesce(jsonb_agg(k.name order by k.name), '[]') from jsonb_object_keys(${was} || ${is}) as k (name)
           where ${was} -> k.name is distinct from ${is} -> k.name and not (${except}))`

/** SQL of the list of times that a call sets, of the row `set`, that differ from those of the row `row` before. */
export const changedTimes = (set: string, row: string): string => /* sql */ `(
               case when ${set}.created_at <> ${row}.was_created_at then '["createdAt"]'::jsonb else '[]' end
                 || case when ${set}.last_updated <> ${row}.was_last_updated then '["lastUpdated"]'::jsonb else '[]' end)`

/**
 * Returns lateral joins to the rows `c` of changed threads, which have the contents `content` and `new_content` and the list
 * `times` of changed times: the events `e` (`nth`, `type`, `before`, `after`) that happened. A field whose change has an event of
 * its own is among the `fields` of `thread.updated` only if that event did not happen, as when a status gets another colour.
 */
export const joinChangeEvents = (c: string): string => {
  const [was, is] = [`${c}.content`, `${c}.new_content`]
  const differs = (path: string) => `${was} #> '{${path}}' is distinct from ${is} #> '{${path}}'`
  return /* sql */ `
     cross join lateral (
        select ${differs('status,id')} as has_status, ${differs('assignedTo,userId')} as has_assignee, ${differs('priority,id')} as has_priority,
               ${differs('visibility')} or ${visibilityOf(was)} <> ${visibilityOf(is)} as has_visibility,
               ${differs('suggestion,status')} and ${is} #>> '{suggestion,status}' in ('accepted', 'rejected') as has_decision
     ) own
     cross join lateral (
        select ${changedFields(
          was,
          is,
          `case k.name when 'status' then own.has_status when 'statusUpdatedByUserId' then own.has_status when 'resolvedByUserId' then own.has_status
                            when 'assignedTo' then own.has_assignee when 'priority' then own.has_priority
                            when 'visibility' then own.has_visibility else false end`,
        )} as names
     ) field
     cross join lateral (
        select e.* from (values
          (1, 'thread.status_changed', own.has_status, ${STATUS(`${was} -> 'status'`)}, ${STATUS(`${is} -> 'status'`)}),
          (2, 'thread.assigned', own.has_assignee, jsonb_build_object('assigned', ${was} #>> '{assignedTo,userId}' is not null),
           jsonb_build_object('assigned', ${is} #>> '{assignedTo,userId}' is not null)),
          (3, 'thread.priority_changed', own.has_priority, ${PRIORITY(`${was} -> 'priority'`)}, ${PRIORITY(`${is} -> 'priority'`)}),
          (4, 'thread.visibility_changed', own.has_visibility, jsonb_build_object('visibility', ${visibilityOf(was)}),
           jsonb_build_object('visibility', ${visibilityOf(is)})),
          (5, 'thread.suggestion_' || (${is} #>> '{suggestion,status}'), own.has_decision, null, '{}'),
          (6, 'thread.updated',
           field.names || ${c}.times <> '[]' or not (own.has_status or own.has_assignee or own.has_priority or own.has_visibility or coalesce(own.has_decision, false)),
           null, jsonb_build_object('fields', field.names || ${c}.times))
        ) as e (nth, type, happened, before, after)
         where e.happened
     ) e`
}
