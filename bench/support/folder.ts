/** Fills a folder with any number of documents, in SQL; it is the only folder of an organization of the same name. */
import { keyOf, type Query } from './world.ts'

const OF = 'o.api_key_id = $1 and o.organization_id = $2'
const FOLDER = keyOf('o.organization_key::text', `'folder'`)

/** $1 is the id of the API key, $2 that of the organization and the folder, $3 the number of documents. */
const STEPS: readonly [text: string, takesCount?: boolean][] = [
  [
    `insert into organizations (organization_key, api_key_id, organization_id, added_at)
     values (${keyOf('$1::text', '$2::text')}, $1, $2, clock_timestamp())`,
  ],
  [
    `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
     select organization_key, organization_key, 'organization', organization_id, clock_timestamp(), array[organization_key], 1, organization_key
       from organizations o where ${OF}`,
  ],
  [
    `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
     select o.organization_key, ${FOLDER}, 'folder', o.organization_id, clock_timestamp(), array[o.organization_key, ${FOLDER}], 1, o.organization_key
       from organizations o where ${OF}`,
  ],
  [
    `insert into resources (organization_key, resource_key, kind, id, name, folder_key, added_at)
     select o.organization_key, gen_random_uuid(), 'document', 'document-' || lpad(d::text, 8, '0'), 'Document ' || d, ${FOLDER}, clock_timestamp()
       from organizations o, generate_series(1, $3::int) d where ${OF}`,
    true,
  ],
]

export const documentOf = (nth: number): string => `document-${String(nth).padStart(8, '0')}`

export async function fillFolder(query: Query, apiKeyId: string, id: string, documents: number): Promise<void> {
  for (const [text, takesCount = false] of STEPS) await query(text, [apiKeyId, id, ...(takesCount ? [documents] : [])])
  await query('vacuum (analyze) organizations, resources')
}
