/** SQL: the messages of an event, and the endpoints that get each of them (rules/comments.md#webhooks). */
import { COMMENT_ACTS, type CommentAct } from '#contract/comments/acts.ts'
import { isTriggerOn } from '#tenancy/comment-triggers.ts'

const ACTS = Object.entries<CommentAct>(COMMENT_ACTS)
  .map(
    ([event, { type, word, only = null, basicOnly = false }]) =>
      `('${event}', '${type}', '${word}', ${only && `'${only}'`}, ${basicOnly})`,
  )
  .join(',\n            ')

/**
 * Joins to the event `v`, of which it reads `type` and `after`, its messages `m`: its own, and that of the act that it
 * records. An import is no act.
 */
export const joinMessages = (v: string): string => /* sql */ `
   cross join lateral (
      select false as is_act, ${v}.type as type, null::text as word, false as basic_only
      union all
      select true, a.type, a.word, a.basic_only
        from (values
            ${ACTS}
        ) a (event_type, type, word, only_if, basic_only)
       where a.event_type = ${v}.type and (a.only_if is null or (${v}.after ->> a.only_if)::boolean)
           and (${v}.after ->> 'isImported') is null
   ) m`

/**
 * Whether the endpoint `e` gets the message `m`. Basic URLs get threads and comments only as acts: the messages about
 * events have the same names as those of the contract, and receivers would confuse them. A trigger that is off stops an
 * act.
 */
export const GETS_MESSAGE = /* sql */ `
          (e.filter_types is null or m.type = any (e.filter_types))
          and case when not m.is_act then e.kind = 'signed' or m.type not like 'thread.%' and m.type not like 'comment.%'
                   else (e.kind <> 'signed' or not m.basic_only)
                        and (select ${isTriggerOn("(k.webhook_service_config #> '{triggers,comment}')", {
                          word: 'm.word',
                          type: 'm.type',
                          unset: "m.word not like 'suggestion%'",
                        })} from api_keys k where k.api_key_id = e.api_key_id limit 1) end`
