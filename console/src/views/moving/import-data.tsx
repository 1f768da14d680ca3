/** Imports a file: chosen, checked line by line, then imported with progress and a report. An interrupted import continues. */
import { Button, FileInput, Group, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { Note } from '../../components/feedback/note.tsx'
import { ProductionNote } from '../../components/page/environment.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { plural } from '../../plural.ts'
import { useKey } from '../../session/use-session.ts'
import { ImportReport } from './import-report.tsx'
import { type Kept, keptPosition } from './resumption.ts'
import { imported, type Progress, type Result, type Run } from './runs.ts'
import { Cancelled, useRun } from './use-run.ts'

/** What an import may call, depending on the records. */
const WRITES = [
  ...(['key-config.get', 'key-config.update', 'domains.add', 'users.disable', 'profiles.set'] as const),
  ...(['organizations.add', 'organizations.disable', 'folders.add', 'folders.update', 'folder-access.set'] as const),
  ...(['documents.add', 'documents.update', 'documents.move', 'document-access.set', 'documents.disable'] as const),
  ...(['grants.add', 'user-groups.add', 'user-groups.update', 'user-group-users.add', 'invitations.add'] as const),
  ...(['webhook-endpoints.create', 'webhook-endpoints.update', 'comment-data.set'] as const),
] as const

interface Import {
  file: File
  before?: Kept | undefined
}

export function ImportData() {
  const key = useKey()
  const [file, choose] = useState<File | null>(null)
  const check = useRun((chosen: File, run: Run<Progress>) => imported(key, chosen, { ...run, dryRun: true }))
  const write = useRun(
    ({ file, before }: Import, run: Run<Progress>) => imported(key, file, { ...run, dryRun: false, before }),
    { writes: true },
  )
  const isBusy = check.isPending || write.isPending
  const lines = check.data?.line ?? 0
  const kept = file === null || isBusy || write.data !== undefined ? undefined : keptPosition(key.id, file)
  return (
    <Stack gap="sm">
      <FileInput
        label="File"
        description="An export of an API key, in lines of JSON. CSV and exports of a workspace are imported on the command line."
        placeholder="Choose a file"
        accept=".ndjson,.jsonl,.json,application/x-ndjson"
        maw={420}
        value={file}
        disabled={isBusy}
        onChange={(chosen) => {
          choose(chosen)
          check.reset()
          write.reset()
          if (chosen !== null) check.mutate(chosen)
        }}
      />
      {check.isPending && (
        <Running label="Checking" progress={check.progress} lines={undefined} onCancel={check.cancel} />
      )}
      <RunFailure error={check.error} said="Cancelled: nothing was changed." />
      {file !== null && check.data !== undefined && !write.isPending && write.data === undefined && (
        <>
          <ImportReport result={check.data} fileName={file.name} dryRun />
          <Text size="sm">
            Every line was checked on this device, and nothing is changed yet. The server may refuse more of them, such
            as grants on what does not exist.
          </Text>
          {kept !== undefined && (
            <Note
              tone="caution"
              title={`An import of this file was interrupted after line ${kept.line.toLocaleString()}`}
            >
              Imported until then: {plural(kept.records, 'record')}. Continue there, or import the whole file again:
              existing records are updated to match it.
            </Note>
          )}
          <ProductionNote apiKey={key.id} />
          <Group gap="sm">
            {kept !== undefined && (
              <PermittedButton needs={WRITES} onClick={() => write.mutate({ file, before: kept })}>
                Continue after line {kept.line.toLocaleString()}
              </PermittedButton>
            )}
            <PermittedButton
              needs={WRITES}
              variant={kept === undefined ? 'filled' : 'default'}
              disabled={check.data.records === 0}
              onClick={() => write.mutate({ file })}
            >
              Import {plural(check.data.records, 'record')}
            </PermittedButton>
          </Group>
        </>
      )}
      {write.isPending && (
        <>
          <Running label="Importing" progress={write.progress} lines={lines} onCancel={write.cancel} />
          <Text size="sm" c="dimmed">
            Keep this page open: the import runs in your browser. If it is closed, what was imported stays; choose the
            same file here again to continue.
          </Text>
        </>
      )}
      <RunFailure error={write.error} said="Interrupted. What was imported stays, and the import can be continued." />
      {file !== null && write.data !== undefined && (
        <ImportReport result={write.data} fileName={file.name} dryRun={false} />
      )}
    </Stack>
  )
}

interface RunningProps {
  label: string
  progress: Pick<Result, 'records' | 'failed' | 'line'> | undefined
  /** The number of lines, if it is known. */
  lines: number | undefined
  onCancel: () => void
}

function Running({ label, progress, lines, onCancel }: RunningProps) {
  const { line = 0, records = 0, failed = 0 } = progress ?? {}
  const part = lines === undefined || lines === 0 ? 100 : Math.min(100, (100 * line) / lines)
  return (
    <Stack gap={6} maw={420}>
      <ProgressBar value={part} animated={lines === undefined} aria-label={label} />
      <Group gap="sm">
        <Text size="sm" role="status">
          {label}:{' '}
          {lines === undefined
            ? `line ${line.toLocaleString()}`
            : `line ${line.toLocaleString()} of ${lines.toLocaleString()}`}
          , {plural(records, 'record')}, {failed.toLocaleString()} refused
        </Text>
        <Button size="xs" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

function RunFailure({ error, said }: { error: Error | null; said: string }) {
  if (error === null) return null
  if (error instanceof Cancelled)
    return (
      <Text size="sm" role="status">
        {said}
      </Text>
    )
  return <Failure error={error} />
}
