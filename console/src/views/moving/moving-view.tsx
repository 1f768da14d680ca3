/** Exports all data of an API key as a file, and imports such a file. Settings are promoted to another key by comparing. */
import { Stack } from '@mantine/core'
import { Section } from '../../components/page/section.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { useRefusal } from '../../session/permission.ts'
import { useKey, useSession } from '../../session/use-session.ts'
import { ExportData } from './export-data.tsx'
import { ImportData } from './import-data.tsx'

export function MovingView() {
  const { id } = useKey()
  const { workspaceId } = useSession()
  const isComparable = useRefusal('api-keys.get') === undefined && workspaceId !== undefined
  return (
    <Stack gap="md">
      <Section
        title="Export"
        intro="Everything in this API key as one file, as commonhold export writes it: access settings, domains, users, organizations, folders, documents, grants, groups, invitations, threads, notifications and activities, but no secrets. It is not a snapshot: data that change during the export may be in it or not."
      >
        <ExportData />
      </Section>
      <Section
        title="Import"
        intro="Adds the records of such a file to this API key, and updates those that exist. Nothing is deleted, and nothing is changed before you have seen a preview."
      >
        <ImportData />
      </Section>
      {isComparable && (
        <Section
          title="Promote"
          intro={
            <>
              To copy settings, domains, e-mail, webhooks and endpoints to another key of the workspace,{' '}
              <AnchorLink to="/keys/$apiKey/settings/compare" params={{ apiKey: id }} size="sm" underline="always">
                compare the two keys
              </AnchorLink>
              : you see each difference and select what is applied.
            </>
          }
        />
      )}
    </Stack>
  )
}
