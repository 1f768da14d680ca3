/**
 * SQL that tells organizations that somebody uses from those that only grants have named: a grant adds an organization
 * that does not exist, so an empty one whose id nearly equals that of another may be a misspelling.
 */

/**
 * The organizations before and after an organization, in the order of their ids, whose ids are compared with it. In a key
 * with more of them, only misspellings near the end of an id are found.
 */
const NEIGHBOURS_MAX = 500

/** A misspelt organization has fewer folders and documents that grants have named. */
const FEW = 20

/** Whether the organization `o` has a name, or a folder or document that was added. Many resources suffice, added or not. */
export const isFilled = /* sql */ `(o.name is not null
         or (select count(*) filter (where r.added_at is not null and r.kind <> 'organization') > 0 or count(*) = ${FEW}
               from (select * from resources r where r.organization_key = o.organization_key limit ${FEW}) r))`

/** The organizations of an API key whose ids are next to an id. Both are SQL. */
export const neighbours = (apiKeyId: string, organizationId: string): string => /* sql */ `(
       (select o.* from organizations o
         where o.api_key_id = ${apiKeyId} and o.organization_id < ${organizationId}
         order by o.organization_id desc limit ${NEIGHBOURS_MAX})
        union all
       (select o.* from organizations o
         where o.api_key_id = ${apiKeyId} and o.organization_id > ${organizationId}
         order by o.organization_id limit ${NEIGHBOURS_MAX})
     )`
