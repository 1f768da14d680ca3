/** For users without a workspace: the commands that create one on this server. */
import { Anchor, Code, Collapse, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { Copy } from '../components/id.tsx'
import classes from './sign-in-view.module.css'

export function FirstWorkspace() {
  const [opened, { toggle }] = useDisclosure()
  const id = useId()
  const { origin } = location
  return (
    <div>
      <Anchor component="button" type="button" size="sm" aria-expanded={opened} aria-controls={id} onClick={toggle}>
        No workspace yet?
      </Anchor>
      <Collapse expanded={opened} id={id}>
        <Stack gap="xs" pt="xs">
          <Text size="sm">
            Create one in a terminal on the server's machine. Sign in here with the <Code>id</Code> and the{' '}
            <Code>authToken</Code> of the response.
          </Text>
          <Command label="Create a workspace">
            {`curl -s ${origin}/v2/workspace/create -H 'content-type: application/json' -d '{"data": {"ownerEmail": "you@example.com"}}'`}
          </Command>
          <Text size="sm">
            Or create one with a sample company, from a checkout of the source code. The command prints how to sign in:
          </Text>
          <Command label="Create a sample workspace">{`npm run demo -- --url ${origin}`}</Command>
          <Text size="xs" c="dimmed">
            The operator decides with the setting <Code>SIGNUP</Code> who may create workspaces.
          </Text>
        </Stack>
      </Collapse>
    </div>
  )
}

function Command({ label, children }: { label: string; children: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="start">
      <Code block flex={1} miw={0} className={classes.command} role="region" aria-label={label}>
        {children}
      </Code>
      <Copy value={children} label={`Copy: ${label}`} />
    </Group>
  )
}
