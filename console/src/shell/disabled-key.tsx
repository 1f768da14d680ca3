/** In place of the views of a key that is disabled: every call with it is refused, those of this page too. */
import { Button, Paper } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { EmptyState } from '../components/empty-state.tsx'
import { Failure } from '../components/failure.tsx'
import { disableApiKey } from '../queries/keys.ts'
import { nameOf } from './key-switcher.tsx'
import { ButtonLink } from './links.tsx'
import { Page } from './page.tsx'

export function DisabledKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const enable = useMutation(disableApiKey)
  return (
    <Page title={nameOf(apiKey)}>
      <Paper withBorder>
        <EmptyState
          title="This API key is disabled"
          action={
            <>
              <Button loading={enable.isPending} onClick={() => enable.mutate({ apiKey: apiKey.id, disabled: false })}>
                Enable it
              </Button>
              <ButtonLink to="/keys" variant="default">
                All API keys
              </ButtonLink>
            </>
          }
        >
          Every call with it is refused, those of this page too. Nothing is lost: what it holds is there again when it
          is enabled.
        </EmptyState>
      </Paper>
      {enable.error !== null && <Failure error={enable.error} />}
    </Page>
  )
}
