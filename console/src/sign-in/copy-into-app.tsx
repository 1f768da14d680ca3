/** The values of a new workspace that an application and the owner need, each with a button that copies it. None of them is kept. */
import { Code, Group, Stack, Text } from '@mantine/core'
import { Copy } from '../components/values/id.tsx'
import classes from './sign-in-view.module.css'

export interface NewCredentials {
  /** The address of the server. */
  url: string
  apiKey: string
  apiKeyToken: string
  workspaceId: string
  workspaceToken: string
}

/** Valid TypeScript, too: variables of the environment may be absent. */
const SNIPPET = `import { createClient } from '@commonhold/client'

const {
  COMMONHOLD_URL: url = '',
  COMMONHOLD_API_KEY: apiKey = '',
  COMMONHOLD_AUTH_TOKEN: authToken = '',
} = process.env
const client = createClient({ url, apiKey, authToken })

await client.organizations.add({
  organizations: [{ organizationId: 'acme' }],
})
console.log(await client.organizations.get())`

/** The server has the package of its own version. As a file, it stays the same when the server is upgraded. */
const install = (url: string): string =>
  `curl -O ${url}/console/commonhold-client.tgz\nnpm install ./commonhold-client.tgz`

export function CopyIntoApp({ url, apiKey, apiKeyToken, workspaceId, workspaceToken }: NewCredentials) {
  return (
    <Stack gap="sm">
      <Text size="sm">Copy these into your app:</Text>
      <Value
        label="For your app"
        note=".env"
      >{`COMMONHOLD_URL=${url}\nCOMMONHOLD_API_KEY=${apiKey}\nCOMMONHOLD_AUTH_TOKEN=${apiKeyToken}`}</Value>
      <Value label="Install the client" note="in a terminal">
        {install(url)}
      </Value>
      <Value label="In your code" note="node --env-file=.env app.mjs">
        {SNIPPET}
      </Value>
      <Text size="sm">
        Store these in a safe place. Programs that manage API keys use them, and you sign in with them when your session
        has ended and there is no other way.
      </Text>
      <Value label="Workspace id">{workspaceId}</Value>
      <Value label="Workspace token">{workspaceToken}</Value>
    </Stack>
  )
}

function Value({ label, note, children }: { label: string; note?: string; children: string }) {
  return (
    <div>
      <Group justify="space-between" gap={0} mb={4}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        {note !== undefined && (
          <Text size="xs" c="dimmed" ff="monospace">
            {note}
          </Text>
        )}
      </Group>
      <Group gap={4} wrap="nowrap" align="start">
        <Code block flex={1} miw={0} className={classes.command} role="region" aria-label={label}>
          {children}
        </Code>
        <Copy value={children} label={`Copy ${label}`} />
      </Group>
    </div>
  )
}
