/** Shown instead of the views of a disabled API key: the server refuses every call with it, including the calls of the console. */
import { Paper } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { EmptyState } from '../components/feedback/empty-state.tsx'
import { Failure } from '../components/feedback/failure.tsx'
import { Page } from '../components/page/page.tsx'
import { PermittedButton } from '../components/permitted/permitted-button.tsx'
import { ButtonLink } from '../links/links.tsx'
import { disableApiKey } from '../queries/keys/keys.ts'
import { nameOf } from './key-switcher.tsx'

export function DisabledKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const enable = useMutation(disableApiKey)
  return (
    <Page title={nameOf(apiKey)}>
      <Paper withBorder>
        <EmptyState
          title="This API key is disabled"
          primary
          action={
            <>
              <PermittedButton
                needs="api-keys.enable"
                apiKey={apiKey.id}
                loading={enable.isPending}
                onClick={() => enable.mutate({ apiKey: apiKey.id, disabled: false })}
              >
                Enable API key
              </PermittedButton>
              <ButtonLink to="/keys" variant="default">
                All API keys
              </ButtonLink>
            </>
          }
        >
          The server refuses every call with it, including the calls of the console. No data is lost: everything is
          available again once the key is enabled.
        </EmptyState>
      </Paper>
      {enable.error !== null && <Failure error={enable.error} />}
    </Page>
  )
}
