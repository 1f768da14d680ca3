/** Downloads all data of the API key as a file for `import`. */
import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { Exported } from '#moving/export/export.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { type Run, useRun } from '../../components/feedback/use-run.ts'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { saveFile } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import { useKey } from '../../session/use-session.ts'
import { exported } from './runs.ts'

/** The operations that an export calls. */
const READS = [
  ...(['key-config.get', 'domains.get', 'disabled-users.list', 'profiles.list', 'organizations.get'] as const),
  ...(['folders.get', 'documents.get', 'grants.list', 'user-groups.get', 'users.get'] as const),
  ...(['invitations.get', 'comment-data.list'] as const),
] as const

const MEGABYTE = 1_000_000
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

const sizeOf = (bytes: number): string =>
  bytes < MEGABYTE
    ? `${Math.ceil(bytes / 1_000).toLocaleString('en')} kB`
    : `${(bytes / MEGABYTE).toLocaleString(undefined, ONE_DIGIT)} MB`

const said = ({ records, bytes }: Exported): string => `${plural(records, 'record')}, ${sizeOf(bytes)}`

export function ExportData() {
  const key = useKey()
  const run = useRun(async (_nothing: undefined, { signal, onProgress }: Run<Exported>) => {
    let total: Exported = { records: 0, bytes: 0 }
    const parts = await exported(key, {
      signal,
      onProgress(soFar) {
        total = soFar
        onProgress(soFar)
      },
    })
    saveFile(`commonhold ${key.id}`, parts, { ending: 'ndjson', type: 'application/x-ndjson' })
    return total
  })
  const { isPending, progress, data, error, isCancelled } = run
  return (
    <>
      <Group gap="sm">
        <PermittedButton
          needs={READS}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={isPending}
          onClick={() => run.mutate(undefined)}
        >
          Export
        </PermittedButton>
        {isPending && (
          <Button variant="default" onClick={run.cancel}>
            Cancel
          </Button>
        )}
        <Text size="sm" role="status" c={isPending ? undefined : 'dimmed'}>
          {isPending && (progress === undefined ? 'Reading…' : `${said(progress)} so far`)}
          {!isPending && data !== undefined && `Saved ${said(data)}.`}
          {isCancelled && 'Cancelled: no file was saved.'}
        </Text>
      </Group>
      {error !== null && <Failure error={error} />}
    </>
  )
}
