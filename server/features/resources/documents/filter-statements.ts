/** SQL that decides whether a document matches filters (rules/resources.md#document-filters). */

/** Each condition of the list `$2`, with its place. */
const CONDITIONS = 'jsonb_array_elements($2::jsonb) with ordinality as c (condition, place)'

/** Returns the array of what `selected` is in each condition. */
const ofEach = (selected: string): string => `array(select ${selected} from ${CONDITIONS} order by c.place)`

/** Returns whether `value` is one of the values of the condition. They are a hash table, so that a hundred cost no more than one. */
const isListed = (value: string): string => /* sql */ `(wanted.place, ${value}) in (
                select c.place, v.value from ${CONDITIONS}
                 cross join lateral jsonb_array_elements(c.condition -> 'values') as v (value))`

const milliseconds = (time: string): string => `to_jsonb(floor(extract(epoch from ${time}) * 1000))`

/** The value of the document under the key. A metadata field of that name takes precedence over a field of the document. */
const FIELD = /* sql */ `coalesce(r.metadata -> wanted.key,
                case wanted.key when 'documentName' then to_jsonb(r.name)
                                when 'createdAt' then ${milliseconds('r.added_at')}
                                when 'lastUpdated' then ${milliseconds('coalesce(r.updated_at, r.added_at)')} end)`

const inOrder = (value: string, bound: string): string => /* sql */ `case wanted.operator
                   when '<' then ${value} < ${bound} when '<=' then ${value} <= ${bound}
                   when '>' then ${value} > ${bound} when '>=' then ${value} >= ${bound} end`

const text = (value: string): string => `(${value} #>> '{}') collate "C"`

/**
 * Whether document `r` matches the conditions `$2`: null, or a JSON list of `{ key, operator, values }`. The list is read
 * once, not for each document.
 */
export const MATCHES = /* sql */ `($2::jsonb is null or not exists (
       select from unnest(${ofEach("c.condition ->> 'key'")},
                          ${ofEach("c.condition ->> 'operator'")},
                          ${ofEach("c.condition -> 'values' -> 0")})
                     with ordinality as wanted (key, operator, bound, place)
        cross join lateral (select ${FIELD} as value) field
        where (field.value is not null and case
                 when wanted.operator = 'in' then ${isListed('field.value')}
                 when wanted.operator = 'not-in' then not ${isListed('field.value')}
                 when wanted.operator = 'array-contains-any' then exists (
                   select from jsonb_array_elements(case jsonb_typeof(field.value) when 'array' then field.value end) e (value)
                    where case when ${isListed('e.value')} then true end) -- without the case it is a join, not a hash table
                 when jsonb_typeof(field.value) <> jsonb_typeof(wanted.bound) then false
                 when jsonb_typeof(field.value) = 'string' then ${inOrder(text('field.value'), text('wanted.bound'))}
                 else ${inOrder('field.value', 'wanted.bound')} end) is not true))`
